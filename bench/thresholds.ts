import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { readSettings } from '../src/core/config/settings.ts';
import { systemClock } from '../src/core/Clock.ts';
import { seededRandom } from '../src/core/Random.ts';
import { BPS_PER_UNIT, US_PER_SECOND } from '../src/core/units.ts';
import { bucketOf } from '../src/engine/features/horizonBuckets.ts';
import { labelOrigin } from '../src/engine/features/labelOrigin.ts';
import { sessionGapS } from '../src/engine/features/sessionGap.ts';
import { spacedOrigins } from '../src/engine/features/spacedOrigins.ts';
import { Forecaster } from '../src/engine/forecast/Forecaster.ts';
import { sigmoid } from '../src/engine/forecast/logOdds.ts';
import { scoreWindow, type ScoringDeps } from '../src/engine/forecast/scoreWindow.ts';
import { FeatureBuilder } from '../src/engine/features/FeatureBuilder.ts';
import type { ThresholdCurve } from '../src/engine/forecast/thresholdCurve.ts';
import type { WindowScore } from '../src/engine/forecast/WindowScorer.ts';
import type { ServingHost } from '../src/engine/inference/InferenceHost.ts';
import { ModelSlots } from '../src/engine/inference/ModelSlots.ts';
import { loadCatalog } from '../src/engine/model/loadCatalog.ts';
import type { HeadManifest, ModelCatalog, ServedModel } from '../src/engine/model/ModelManifest.ts';
import { suitableTicks } from '../src/engine/model/suitableTicks.ts';
import { defaultRuleSetPath, readRuleSource } from '../src/engine/rules/loadRuleSet.ts';
import type { RuleSet } from '../src/engine/rules/RuleSet.ts';
import { clusterBootstrap } from '../src/engine/scoring/clusterBootstrap.ts';
import { openHost } from '../src/service/app/openHost.ts';
import { modelFolders } from '../src/service/app/openRegistry.ts';
import { rulesOfVersions } from '../src/service/app/rulesDirectory.ts';
import { readTickFile } from '../src/ticks/import/streamTickFile.ts';
import type { TickRequest } from '../src/ticks/parseTickRequest.ts';
import type { TickSeries } from '../src/ticks/TickSeries.ts';
import { pairedIntervals } from '../training/metrics/comparePaired.ts';
import { fitLogistic } from '../training/metrics/logistic.ts';
import type { Bench } from './Bench.ts';

/** Folder of months of ticks, one file a month, `<series>-YYYY-MM.csv.gz`, that the shipped version was not trained on. */
const FOLDER = process.env['MONTHS'] ?? '';
const HORIZONS_S = [60, 300, 1800];
/** Multiples of the median default threshold of a series and horizon. */
const FACTORS = (process.env['FACTORS'] ?? '0.25,0.5,1,2').split(',').map(Number);
/** Windows at 60 s: one in four minutes. */
const LEAST_EVERY_S = 240;
const TOPS = [0.01, 0.05, 0.1];
const LEAST_AUC_DIFFERENCE = -0.002;
const DAY_US = 86_400 * US_PER_SECOND;

/** One window in so many is also asked of the service at each threshold. */
const CHECKED_EVERY = 101;

/** A window with the answers of the version at any threshold. */
type Window = {
  readonly timeUs: number;
  readonly month: number;
  readonly request: TickRequest;
  readonly defaultBps: number;
  /** Basis points. */
  readonly move: number;
  /** No veto and no untrained range but that of the threshold: the probability alone decides. */
  readonly isFree: boolean;
  /** Smallest probability that is marked. */
  readonly cut: number | null;
  /** From theta* down and up. */
  readonly down: ThresholdCurve;
  readonly up: ThresholdCurve;
  /** Log-odds of the baseline at theta*. */
  readonly baseline: number;
};
type Scored = { readonly timeUs: number; readonly p: number; readonly ewma: number; readonly y: 0 | 1; readonly isMarked: boolean; readonly isFree: boolean; readonly month: number }; // prettier-ignore

class Version {
  readonly #deps: ScoringDeps;
  readonly #model: ServedModel;
  readonly #forecaster: Forecaster;

  constructor(host: ServingHost, models: ModelCatalog, rulesOf: (model: ServedModel) => RuleSet) {
    this.#model = models.find(models.defaultId)!;
    this.#deps = { host, rulesOf, clock: systemClock, features: new FeatureBuilder() };
    this.#forecaster = new Forecaster({ host, models, rulesOf, clock: systemClock });
  }

  /** The windows of a month with an outcome. */
  async *windows(series: TickSeries, horizonS: number, month: number): AsyncGenerator<Window> {
    const { manifest } = this.#model;
    const ticks = Math.min(500, suitableTicks(manifest, horizonS));
    const [low, high] = manifest.trained.logThetaRatio;
    const origins = spacedOrigins(series.timesUs, Math.max(horizonS + 1, LEAST_EVERY_S), { minTicks: ticks });
    for (const origin of origins) {
      const [from, timeUs] = [origin + 1 - ticks, series.timesUs[origin]!];
      const window = { timesUs: series.timesUs.subarray(from, origin + 1), prices: series.prices.subarray(from, origin + 1) };
      const request = { series: window, futureUs: timeUs + horizonS * US_PER_SECOND };
      const measures = this.#deps.features.read(window, 0, window.timesUs.length, request.futureUs);
      if (typeof measures === 'string') continue;
      const { thetaDefault, medianGapS } = measures;
      const label = labelOrigin(series, origin, horizonS, sessionGapS(medianGapS));
      if (label.status === 'dropped') continue;
      const [down, up] = [
        await this.#score(request, thetaDefault * Math.exp(low)),
        await this.#score(request, thetaDefault * Math.exp(high)),
      ];
      if (down === null || up === null) continue;
      yield {
        ...{ timeUs, month, request, cut: down.cut, down: down.curve, up: up.curve },
        defaultBps: thetaDefault * BPS_PER_UNIT,
        move: Math.abs(label.move) * BPS_PER_UNIT,
        isFree: up.reasons.every(({ code }) => code === 'below_threshold' || code === 'threshold_untrained'),
        baseline: down.logit.baseline + this.#head(horizonS).thresholdSlope! * low,
      };
    }
  }

  at(window: Window, horizonS: number, bps: number): Scored {
    const { timeUs, month, isFree, cut, defaultBps, down, up, move, baseline } = window;
    const { thresholdSlope } = this.#head(horizonS);
    const [low, high] = this.#model.manifest.trained.logThetaRatio;
    const ratio = Math.log(bps / defaultBps);
    const p = sigmoid((ratio < 0 ? down : up).at(ratio));
    const isKnown = ratio <= high && (ratio >= low || sigmoid(down.end) >= (cut ?? 1));
    const isMarked = isFree && isKnown && p >= (cut ?? Infinity);
    return {
      timeUs,
      month,
      p,
      ewma: sigmoid(baseline - thresholdSlope! * ratio),
      y: move > bps ? 1 : 0,
      isMarked,
      isFree: isFree && isKnown,
    };
  }

  /** Throws an error if the service answers otherwise. */
  async check(window: Window, horizonS: number, bps: number): Promise<void> {
    const { p, ewma, isMarked } = this.at(window, horizonS, bps);
    const { mark, summary } = await this.#forecaster.forecast(window.request, { minMoveBps: bps });
    const isSame = Math.abs(summary.probability! - p) < 1e-9 && Math.abs(summary.baselineProbability! - ewma) < 1e-5;
    if (!isSame || (mark === 1) !== isMarked) throw new Error(`The service gives ${JSON.stringify({ mark, ...summary })}, not ${JSON.stringify({ p, ewma, isMarked })}.`); // prettier-ignore
  }

  #head(horizonS: number): HeadManifest {
    return this.#model.manifest.heads[bucketOf(horizonS)]!;
  }

  async #score(request: TickRequest, theta: number): Promise<WindowScore | null> {
    const wanted = { theta, minProbability: null, deadlineMs: undefined, wantsTrace: false, clockOff: false };
    const { score } = await scoreWindow(this.#deps, this.#model, request, wanted);
    return typeof score === 'string' ? null : score;
  }
}

/** Probabilities with slope and intercept of the other months at this threshold. */
function refitted(rows: readonly Scored[], given: Float64Array): Float64Array {
  const logit = given.map((p) => Math.log(p / (1 - p)));
  const fits = new Map(
    [...new Set(rows.map(({ month }) => month))].map((month) => {
      const others = [...rows.keys()].filter((at) => rows[at]!.month !== month);
      const y = Uint8Array.from(others, (at) => rows[at]!.y);
      return [month, fitLogistic(Float64Array.from(others, (at) => logit[at]!), others.length, 1, y)] as const; // prettier-ignore
    }),
  );
  return Float64Array.from(rows, ({ month }, at) => {
    const { intercept, weights } = fits.get(month)!;
    return sigmoid(intercept + weights[0]! * logit[at]!);
  });
}

/** Difference of two figures with its 95 % interval over days. */
type Difference = { readonly estimate: number; readonly lower95: number; readonly upper95: number };
const within = ({ estimate, lower95, upper95 }: Difference): string =>
  `${estimate.toFixed(4)} (${lower95.toFixed(4)} to ${upper95.toFixed(4)})`;

/** 1 for the `count` windows with the highest probabilities. */
function topOf(p: Float64Array, count: number): Uint8Array {
  const best = [...p.keys()].sort((a, b) => p[b]! - p[a]! || a - b).slice(0, count);
  const isTop = new Uint8Array(p.length);
  for (const at of best) isTop[at] = 1;
  return isTop;
}

/** Fraction of the hits of `chosen` windows less that of as many `others`. */
function hitsDifference(y: Uint8Array, days: Int32Array, chosen: Uint8Array, others: Uint8Array): Difference {
  const fraction = (of: Uint8Array, weights: Float64Array): number => {
    let [hits, count] = [0, 0];
    for (let at = 0; at < y.length; at++) {
      count += of[at]! * weights[at]!;
      hits += of[at]! * weights[at]! * y[at]!;
    }
    return hits / count;
  };
  return clusterBootstrap(days, (weights) => fraction(chosen, weights) - fraction(others, weights), { random: seededRandom(1) });
}

/** Lines of the two tables, and which parts of the gate fail. */
type Cell = { readonly scores: string[]; readonly hits: string[]; readonly failed: string[] };

function cellOf(name: string, rows: readonly Scored[]): Cell {
  const column = (value: (row: Scored) => number): Float64Array => Float64Array.from(rows, value);
  const [p, ewma, y] = [column((row) => row.p), column((row) => row.ewma), Uint8Array.from(rows, (row) => row.y)];
  const days = Int32Array.from(rows, ({ timeUs }) => Math.floor(timeUs / DAY_US));
  const paired = (pBase: Float64Array, of = p) =>
    pairedIntervals({ p: of, pBase, y, cluster: days, cell: new Int32Array(rows.length) }, { random: seededRandom(1) });
  const { intervals, baseRate } = paired(ewma);
  const again = refitted(rows, ewma);
  const skill = paired(again).intervals.brierSkill;
  const skillOfBoth = paired(again, refitted(rows, p)).intervals.brierSkill;
  const { aucModel, aucBase, aucDifference } = intervals;
  const isMarked = Uint8Array.from(rows, (row) => (row.isMarked ? 1 : 0));
  const marks = isMarked.reduce((sum, mark) => sum + mark, 0);
  const lowest = Math.min(...rows.filter((row) => row.isMarked).map((row) => row.p));
  const inversions = rows.filter((row) => !row.isMarked && row.isFree && row.p > lowest).length;
  const tops = TOPS.map((share) => Math.round(share * rows.length)).map((count) =>
    hitsDifference(y, days, topOf(p, count), topOf(ewma, count)),
  );
  const fractionOf = (of: Uint8Array): number => of.reduce((sum, one, at) => sum + one * y[at]!, 0) / marks;
  const [ofMarks, ofTop, ofEwma] = [isMarked, topOf(p, marks), topOf(ewma, marks)].map(fractionOf) as [number, number, number];
  const hits = marks === 0 ? [] : [`${ofMarks.toFixed(3)}, ${ofTop.toFixed(3)}, ${ofEwma.toFixed(3)}`, within(hitsDifference(y, days, isMarked, topOf(ewma, marks)))]; // prettier-ignore
  const failed = Object.entries({
    'AUC': !(aucDifference.lower90OneSided > LEAST_AUC_DIFFERENCE),
    'skill': !(skill.estimate >= 0),
    'top 1, 5 or 10 %': tops.some(({ upper95 }) => upper95 < 0),
    'marks': marks > 0 && !(ofMarks >= baseRate),
    'inversions': inversions > 0,
  }).flatMap(([what, fails]) => (fails ? [what] : [])); // prettier-ignore
  const auc = `${aucModel.estimate.toFixed(3)}, ${aucBase.estimate.toFixed(3)}`;
  return {
    scores: [name, String(rows.length), baseRate.toFixed(3), (p.reduce((sum, one) => sum + one, 0) / p.length).toFixed(3), auc, `${aucDifference.estimate.toFixed(4)} (≥ ${aucDifference.lower90OneSided.toFixed(4)})`, within(skill), within(skillOfBoth), failed.join('; ') || 'holds'], // prettier-ignore
    hits: [name, ...tops.map(within), `${((100 * marks) / rows.length).toFixed(1)} %`, ...hits, String(inversions)],
    failed,
  };
}

export const bench: Bench = {
  name: 'thresholds',
  about: 'The shipped version at fixed thresholds on months of ticks that it never saw, against its volatility baseline.',
  async run(only = '') {
    if (FOLDER === '') throw new Error('MONTHS must name a folder of <series>-YYYY-MM.csv.gz.');
    const files = readdirSync(FOLDER).filter((file) => file.endsWith('.csv.gz')).sort(); // prettier-ignore
    const names = [...new Set(files.map((file) => file.replace(/-\d{4}-\d\d\.csv\.gz$/, '')))];
    const settings = readSettings({ ...process.env, RUNTIME_BACKEND: 'wasm' });
    const { host } = await openHost(settings.runtimeBackend, { clock: systemClock, startMs: settings.startTimeoutMs, batches: [1] });
    const cells: Cell[] = [];
    /** Pairs of thresholds at which a window has the same or a higher probability at the larger one. */
    let notFalling = 0;
    let checked = 0;
    try {
      const { versions, defaultId } = loadCatalog(modelFolders(settings), settings.model);
      const models = new ModelSlots(host);
      models.swap([await models.prepare(versions.find(({ manifest }) => manifest.id === defaultId)!)], [], defaultId);
      const source = await readRuleSource(defaultRuleSetPath());
      const version = new Version(host, models, rulesOfVersions({ source, isOperators: false }));
      for (const name of names) {
        for (const horizonS of HORIZONS_S.filter((each) => `${name} ${each} s`.includes(only))) {
          const windows: Window[] = [];
          for (const [month, file] of files.filter((each) => each.startsWith(name)).entries()) {
            const { series } = await readTickFile(path.join(FOLDER, file));
            for await (const window of version.windows(series, horizonS, month)) windows.push(window);
          }
          const median = windows.map(({ defaultBps }) => defaultBps).sort((a, b) => a - b)[windows.length >> 1]!;
          const lower = new Map<number, number>();
          for (const factor of FACTORS) {
            const bps = Number((factor * median).toPrecision(6));
            const rows = windows.map((window) => version.at(window, horizonS, bps));
            for (let at = 0; at < windows.length; at += CHECKED_EVERY, checked++) await version.check(windows[at]!, horizonS, bps);
            const cell = cellOf(`${name} ${horizonS} s, ${factor} × ${median.toFixed(2)} bps`, rows);
            cells.push(cell);
            // A run takes many minutes.
            process.stderr.write(`${[...cell.scores, ...cell.hits.slice(1)].join(' | ')}\n`);
            for (const { timeUs, p } of rows) {
              if (p >= (lower.get(timeUs) ?? Infinity)) notFalling++;
              lower.set(timeUs, p);
            }
          }
        }
      }
    } finally {
      await host.close();
    }
    const count = (part: string): number => cells.filter(({ failed }) => failed.includes(part)).length;
    const parts = [...new Set(cells.flatMap(({ failed }) => failed))].map((part) => `${part} in ${count(part)}`);
    return {
      about: [
        'EWMA is the volatility baseline of the version, without a bound. Difference of AUC with its one-sided lower 90 % bound, which must be above −0.002; Brier skill against the baseline refitted at each threshold on the other months of the market, at least 0, and with the log-odds of the version refitted in the same way. Other intervals are of 95 %; all are over days.',
        'Hits of the windows with the highest probabilities less those of EWMA, of which no interval may be below 0. Hits of marks, of as many windows by the probability and by EWMA, and the first less the last. Inversions: windows without a mark, although their probability is above that of a mark and no other reason holds.',
        `Of ${cells.length} cells, ${cells.filter(({ failed }) => failed.length === 0).length} pass; fails: ${parts.join(', ') || 'none'}. The probability does not fall from one threshold to the next in ${notFalling} windows. ${checked} answers of the service were compared and are the same.`,
      ],
      tables: [
        { title: 'Scores', head: ['series, horizon, threshold', 'windows', 'base rate', 'probability', 'AUC, EWMA', 'AUC difference', 'skill', 'both refitted', 'gate'], lines: cells.map(({ scores }) => scores) }, // prettier-ignore
        { title: 'Hits', head: ['series, horizon, threshold', 'top 1 % − EWMA', 'top 5 %', 'top 10 %', 'marked', 'marks, own top, EWMA', 'marks − EWMA', 'inversions'], lines: cells.map(({ hits }) => hits) }, // prettier-ignore
      ],
    };
  },
};
