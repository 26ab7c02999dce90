import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { readSettings } from '../src/core/config/settings.ts';
import { seededRandom } from '../src/core/Random.ts';
import { US_PER_SECOND } from '../src/core/units.ts';
import { sigmoid } from '../src/engine/scoring/logOdds.ts';
import { replayTicks } from '../src/engine/forecast/replayTicks.ts';
import { suitableTicks } from '../src/engine/model/suitableTicks.ts';
import { clusterBootstrap } from '../src/engine/scoring/clusterBootstrap.ts';
import { openLocalForecaster } from '../src/service/app/openLocalForecaster.ts';
import { readTickFile } from '../src/ticks/import/streamTickFile.ts';
import { SeriesSink, type TickSeries } from '../src/ticks/TickSeries.ts';
import { seriesSkill, skillText } from '../src/engine/scoring/brierSkill.ts';
import { concludedText, RIVALS } from '../src/engine/scoring/conclusions.ts';
import { pairedIntervals } from '../training/metrics/comparePaired.ts';
import { fitLogistic } from '../training/metrics/logistic.ts';
import type { Bench } from './Bench.ts';

/** Folder of months of ticks, one file a month, `<series>-YYYY-MM.csv.gz`, that the shipped version was not trained on. */
const FOLDER = process.env['MONTHS'] ?? '';
const HORIZONS_S = [60, 300, 1800];
/** Multiples of the median default threshold of a series and horizon; empty: only the default threshold is measured. */
const FACTORS = (process.env['FACTORS'] ?? '0.25,0.5,1,2')
  .split(',')
  .map(Number)
  .filter((factor) => factor > 0);
/** Windows at 60 s: one in four minutes. */
const LEAST_EVERY_S = 240;
const TOPS = [0.01, 0.05, 0.1];
const LEAST_AUC_DIFFERENCE = -0.002;
const DAY_US = 86_400 * US_PER_SECOND;

/** A window with an outcome. */
type Scored = {
  readonly timeUs: number;
  /** Of the calendar, counted from 1970. */
  readonly month: number;
  readonly p: number;
  readonly ewma: number;
  readonly y: 0 | 1;
  readonly isMarked: boolean;
  /** No veto and no untrained range: the probability alone decides. */
  readonly isFree: boolean;
  readonly minMoveBps: number;
};
type OpenForecaster = Awaited<ReturnType<typeof openLocalForecaster>>;
type Asked = { readonly horizonS: number; readonly minMoveBps?: number; readonly memory?: 'off' };

/** The windows with an outcome, as `tickmark replay` asks for them. */
async function scoredWindows({ forecaster, models }: OpenForecaster, series: TickSeries, { horizonS, ...asked }: Asked): Promise<Scored[]> {
  const { manifest } = models.find(models.defaultId)!;
  const spaced = { horizonUs: horizonS * US_PER_SECOND, everyUs: Math.max(horizonS + 1, LEAST_EVERY_S) * US_PER_SECOND };
  const rows: Scored[] = [];
  for await (const window of replayTicks(forecaster, series, {
    ...spaced,
    ...asked,
    ticks: Math.min(500, suitableTicks(manifest, horizonS)),
  })) {
    const { timeUs, mark, reasons, probability, baselineProbability, minMoveBps, outcome } = window;
    if (probability === null || typeof outcome !== 'number') continue;
    const date = new Date(timeUs / 1000);
    rows.push({
      ...{ timeUs, p: probability, ewma: baselineProbability!, y: outcome, minMoveBps: minMoveBps! },
      month: 12 * date.getUTCFullYear() + date.getUTCMonth(),
      isMarked: mark === 1,
      isFree: reasons.every((code) => code === 'below_threshold'),
    });
  }
  return rows;
}

/** The ticks of files that follow each other. */
async function readMonths(files: readonly string[]): Promise<TickSeries> {
  const sink = new SeriesSink(FOLDER);
  for (const file of files) {
    const { series } = await readTickFile(path.join(FOLDER, file));
    sink.add(series.timesUs, series.prices);
  }
  return sink.takeSeries();
}

/** Probabilities with slope and intercept of the other months at this threshold. */
function refitted(rows: readonly Scored[], given: Float64Array): Float64Array {
  const logit = given.map((p) => Math.log(p / (1 - p)));
  const fits = new Map(
    [...new Set(rows.map(({ month }) => month))].map((month) => {
      const others = [...rows.keys()].filter((at) => rows[at].month !== month);
      const y = Uint8Array.from(others, (at) => rows[at].y);
      return [month, fitLogistic(Float64Array.from(others, (at) => logit[at]), others.length, 1, y)] as const; // prettier-ignore
    }),
  );
  return Float64Array.from(rows, ({ month }, at) => {
    const { intercept, weights } = fits.get(month)!;
    return sigmoid(intercept + weights[0] * logit[at]);
  });
}

/** Difference of two figures with its 95 % interval over days. */
type Difference = { readonly estimate: number; readonly lower95: number; readonly upper95: number };
const within = ({ estimate, lower95, upper95 }: Difference): string =>
  `${estimate.toFixed(4)} (${lower95.toFixed(4)} to ${upper95.toFixed(4)})`;

/** 1 for the `count` windows with the highest probabilities. */
function topOf(p: Float64Array, count: number): Uint8Array {
  const best = [...p.keys()].sort((a, b) => p[b] - p[a] || a - b).slice(0, count);
  const isTop = new Uint8Array(p.length);
  for (const at of best) isTop[at] = 1;
  return isTop;
}

/** Fraction of the hits of `chosen` windows less that of as many `others`. */
function hitsDifference(y: Uint8Array, days: Int32Array, chosen: Uint8Array, others: Uint8Array): Difference {
  const fraction = (of: Uint8Array, weights: Float64Array): number => {
    let [hits, count] = [0, 0];
    for (let at = 0; at < y.length; at++) {
      count += of[at] * weights[at];
      hits += of[at] * weights[at] * y[at];
    }
    return hits / count;
  };
  return clusterBootstrap(days, (weights) => fraction(chosen, weights) - fraction(others, weights), { random: seededRandom(1) });
}

/** Lines of the tables, and which parts of the gate fail. */
type Cell = {
  readonly short: readonly [auc: string, skill: string];
  readonly scores: string[];
  readonly hits: string[];
  readonly failed: string[];
};

/**
 * @param notFalling windows whose probability is not below that of the next smaller threshold, which is not above the trained range; null: the
 *   memories of both know the outcomes of their own forecasts, so they are not one curve
 */
function cellOf(name: string, rows: readonly Scored[], notFalling: number | null): Cell {
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
  const fractionOf = (of: Uint8Array): number => of.reduce((sum, one, at) => sum + one * y[at], 0) / marks;
  const [ofMarks, ofTop, ofEwma] = [isMarked, topOf(p, marks), topOf(ewma, marks)].map(fractionOf) as [number, number, number];
  const hits = marks === 0 ? ['', ''] : [`${ofMarks.toFixed(3)}, ${ofTop.toFixed(3)}, ${ofEwma.toFixed(3)}`, within(hitsDifference(y, days, isMarked, topOf(ewma, marks)))]; // prettier-ignore
  const failed = Object.entries({
    'AUC': !(aucDifference.lower90OneSided > LEAST_AUC_DIFFERENCE),
    'skill': !(skill.estimate >= 0),
    'top 1, 5 or 10 %': tops.some(({ upper95 }) => upper95 < 0),
    'marks': marks > 0 && !(ofMarks >= baseRate),
    'inversions': inversions > 0,
    'falling': (notFalling ?? 0) > 0,
  }).flatMap(([what, fails]) => (fails ? [what] : [])); // prettier-ignore
  const auc = `${aucModel.estimate.toFixed(3)}, ${aucBase.estimate.toFixed(3)}`;
  const short = [`${aucDifference.estimate.toFixed(4)} (≥ ${aucDifference.lower90OneSided.toFixed(4)})`, within(skill)] as const;
  return {
    short,
    scores: [name, String(rows.length), baseRate.toFixed(3), (p.reduce((sum, one) => sum + one, 0) / p.length).toFixed(3), auc, ...short, within(skillOfBoth), failed.join('; ') || 'holds'], // prettier-ignore
    hits: [
      name,
      ...tops.map(within),
      `${((100 * marks) / rows.length).toFixed(1)} %`,
      ...hits,
      String(inversions),
      String(notFalling ?? 'n/a'),
    ],
    failed,
  };
}

/** At the default threshold, against the baselines that learn from the same outcomes. */
function learnedLine(name: string, of: string, rows: readonly Scored[], horizonS: number): string[] {
  const forecasts = rows.map(({ timeUs, p, ewma, y }) => ({ timeUs, probability: p, baselineProbability: ewma, moved: y === 1 }));
  const skill = seriesSkill(forecasts, horizonS * US_PER_SECOND)!;
  const rate = rows.reduce((sum, { y }) => sum + y, 0) / rows.length;
  const brier = [skill.baseline.model, ...RIVALS.map((rival) => skill[rival].rival)].map((score) => score.toFixed(4)).join(', ');
  return [name, of, String(rows.length), rate.toFixed(3), brier, ...RIVALS.map((rival) => skillText(skill[rival])), concludedText(skill.conclusion, skill.rival)]; // prettier-ignore
}

export const bench: Bench = {
  name: 'thresholds',
  about: 'The shipped version at fixed thresholds on months of ticks that it never saw, against its volatility baseline.',
  async run(only = '') {
    if (FOLDER === '') throw new Error('MONTHS must name a folder of <series>-YYYY-MM.csv.gz.');
    const files = readdirSync(FOLDER).filter((file) => file.endsWith('.csv.gz')).sort(); // prettier-ignore
    const names = [...new Set(files.map((file) => file.replace(/-\d{4}-\d\d\.csv\.gz$/, '')))];
    const open = await openLocalForecaster(readSettings());
    const mostRatio = Math.exp(open.models.find(open.models.defaultId)!.manifest.trained.logThetaRatio[1]);
    const [alone, remembering]: [Cell[], Cell[]] = [[], []];
    const learned: string[][] = [];
    try {
      for (const name of names) {
        const horizons = HORIZONS_S.filter((each) => `${name} ${each} s`.includes(only));
        if (horizons.length === 0) continue;
        const series = await readMonths(files.filter((each) => each.startsWith(name)));
        for (const horizonS of horizons) {
          const byDefault = await scoredWindows(open, series, { horizonS, memory: 'off' });
          const own = new Map(byDefault.map((row) => [row.timeUs, row.minMoveBps]));
          const cellName = `${name} ${horizonS} s`;
          learned.push(learnedLine(cellName, 'with memory', await scoredWindows(open, series, { horizonS }), horizonS));
          learned.push(learnedLine(cellName, 'alone', byDefault, horizonS));
          const median = Float64Array.from(own.values()).sort()[own.size >> 1];
          let smallerBps = 0;
          const lower = new Map<number, number>();
          for (const factor of FACTORS) {
            const minMoveBps = Number((factor * median).toPrecision(6));
            for (const [at, cells] of [alone, remembering].entries()) {
              const rows = await scoredWindows(open, series, { horizonS, minMoveBps, ...(at === 0 ? { memory: 'off' } : {}) });
              const isTrained = (timeUs: number): boolean => smallerBps < mostRatio * (own.get(timeUs) ?? Infinity);
              const notFalling = rows.filter(({ timeUs, p }) => p >= (lower.get(timeUs) ?? Infinity) && isTrained(timeUs)).length;
              const cell = cellOf(`${name} ${horizonS} s, ${factor} × ${median.toFixed(2)} bps`, rows, at === 0 ? notFalling : null);
              cells.push(cell);
              // A run takes many minutes.
              process.stderr.write(`${at === 0 ? 'alone' : 'with memory'}: ${[...cell.scores, ...cell.hits.slice(1)].join(' | ')}\n`);
              if (at === 0) for (const { timeUs, p } of rows) lower.set(timeUs, p);
            }
            smallerBps = minMoveBps;
          }
        }
      }
    } finally {
      await open.close();
    }
    const passed = (cells: readonly Cell[]): string => {
      const failed = cells.flatMap((cell) => cell.failed);
      const parts = [...new Set(failed)].map((part) => `${part} in ${failed.filter((one) => one === part).length}`);
      return `Of ${cells.length} rows, ${cells.filter(({ failed }) => failed.length === 0).length} pass; fails: ${parts.join(', ') || 'none'}.`;
    };
    const tablesOf = (cells: readonly Cell[], of: string) => [
      { title: `Scores, ${of}`, head: ['series, horizon, threshold', 'windows', 'base rate', 'probability', 'AUC, EWMA', 'AUC difference', 'skill', 'both refitted', 'gate'], lines: cells.map(({ scores }) => scores) }, // prettier-ignore
      { title: `Hits, ${of}`, head: ['series, horizon, threshold', 'top 1 % − EWMA', 'top 5 %', 'top 10 %', 'marked', 'marks, own top, EWMA', 'marks − EWMA', 'inversions', 'not falling'], lines: cells.map(({ hits }) => hits) }, // prettier-ignore
    ];
    return {
      about: [
        'EWMA is the volatility baseline of the version. Difference of AUC with its one-sided lower 90 % bound, which must be above −0.002; Brier skill against the baseline refitted at each threshold on the other months of the market, at least 0, and with the log-odds of the version refitted in the same way. Other intervals are of 95 %; all are over days.',
        'Hits of the windows with the highest probabilities less those of EWMA, of which no interval may be below 0. Hits of marks, of as many windows by the probability and by EWMA, and the first less the last. Inversions: windows without a mark, although their probability is above that of a mark and no other reason holds. Not falling: windows whose probability is not below that at the next smaller threshold, where that is not above the trained range; only of windows alone, because with memory each threshold has the outcomes of its own forecasts.',
        `Windows alone: ${passed(alone)}`,
        `With memory: ${passed(remembering)}`,
      ],
      tables: [
        {
          title: 'At the default threshold, against baselines that learn',
          head: ['series, horizon', '', 'windows', 'base rate', 'Brier score, recalibrated EWMA, base rate so far', 'skill over the recalibrated EWMA', 'over the base rate so far', 'conclusion'], // prettier-ignore
          lines: learned,
        },
        {
          title: 'Windows alone and with memory',
          head: ['series, horizon, threshold', 'AUC difference, alone', 'with memory', 'skill, alone', 'with memory', 'gate, alone', 'with memory'], // prettier-ignore
          lines: alone.map(({ scores, short: [auc, skill] }, at) => {
            const other = remembering[at];
            return [scores[0], auc, other.short[0], skill, other.short[1], scores.at(-1)!, other.scores.at(-1)!];
          }),
        },
        ...tablesOf(remembering, 'with memory'),
        ...tablesOf(alone, 'windows alone'),
      ],
    };
  },
};
