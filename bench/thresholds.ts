import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { openForecaster } from '../src/service/app/openForecaster.ts';
import { readSettings } from '../src/core/config/settings.ts';
import { seededRandom } from '../src/core/Random.ts';
import { US_PER_SECOND } from '../src/core/units.ts';
import { readTickFile } from '../src/ticks/import/streamTickFile.ts';
import { suitableTicks } from '../src/engine/model/suitableTicks.ts';
import { clusterBootstrap } from '../src/engine/scoring/clusterBootstrap.ts';
import type { TickSeries } from '../src/ticks/TickSeries.ts';
import { pairedIntervals } from '../training/metrics/comparePaired.ts';
import { fitLogistic, sigmoid } from '../training/metrics/logistic.ts';
import { replayTicks, type ReplayedWindow } from '../training/replay/replayTicks.ts';
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

type Scored = { readonly timeUs: number; readonly p: number; readonly ewma: number; readonly y: 0 | 1; readonly isMarked: boolean; readonly isFree: boolean; readonly month: number }; // prettier-ignore

/** Of a window with probability and outcome. `isFree`: the probability alone decides. */
function scoredOf({ timeUs, probability, baselineProbability, outcome, mark, reasons }: ReplayedWindow, month: number): Scored[] {
  if (probability === null || baselineProbability === null || typeof outcome === 'string') return [];
  const isFree = reasons.every((code) => code === 'below_threshold');
  return [{ timeUs, p: probability, ewma: baselineProbability, y: outcome, isMarked: mark === 1, isFree, month }];
}

/** The baseline with slope and intercept of the other months at this threshold. */
function refitted(rows: readonly Scored[]): Float64Array {
  const logit = Float64Array.from(rows, ({ ewma }) => Math.log(ewma / (1 - ewma)));
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
  const paired = (pBase: Float64Array) =>
    pairedIntervals({ p, pBase, y, cluster: days, cell: new Int32Array(rows.length) }, { random: seededRandom(1) });
  const { intervals, baseRate } = paired(ewma);
  const skill = paired(refitted(rows)).intervals.brierSkill;
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
    scores: [name, String(rows.length), baseRate.toFixed(3), (p.reduce((sum, one) => sum + one, 0) / p.length).toFixed(3), auc, `${aucDifference.estimate.toFixed(4)} (≥ ${aucDifference.lower90OneSided.toFixed(4)})`, within(skill), failed.join('; ') || 'holds'], // prettier-ignore
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
    const open = await openForecaster(readSettings({ RUNTIME_BACKEND: 'wasm' }), { batches: [1] });
    const cells: Cell[] = [];
    /** Pairs of thresholds at which a window has the same or a higher probability at the larger one. */
    let notFalling = 0;
    try {
      const { manifest } = open.models.find(open.models.defaultId)!;
      for (const name of names) {
        const months = files.filter((file) => file.startsWith(name));
        for (const horizonS of HORIZONS_S.filter((each) => `${name} ${each} s`.includes(only))) {
          const ticks = Math.min(500, suitableTicks(manifest, horizonS));
          const options = { ticks, horizonUs: horizonS * US_PER_SECOND, everyUs: Math.max(horizonS + 1, LEAST_EVERY_S) * US_PER_SECOND };
          const series: TickSeries[] = [];
          for (const file of months) series.push((await readTickFile(path.join(FOLDER, file))).series);
          const own: number[] = [];
          for (const ofMonth of series)
            for await (const { minMoveBps } of replayTicks(open.forecaster, ofMonth, options))
              if (minMoveBps !== null) own.push(minMoveBps);
          const median = own.sort((a, b) => a - b)[own.length >> 1]!;
          const lower = new Map<number, number>();
          for (const factor of FACTORS) {
            const rows: Scored[] = [];
            for (const [month, ofMonth] of series.entries())
              for await (const window of replayTicks(open.forecaster, ofMonth, {
                ...options,
                minMoveBps: Number((factor * median).toPrecision(6)),
              }))
                // prettier-ignore
                rows.push(...scoredOf(window, month));
            const cell = cellOf(`${name} ${horizonS} s, ${factor} × ${median.toFixed(2)} bps`, rows);
            cells.push(cell);
            // A run takes half an hour.
            process.stderr.write(`${[...cell.scores, ...cell.hits.slice(1)].join(' | ')}\n`);
            for (const { timeUs, p } of rows) {
              if (p >= (lower.get(timeUs) ?? Infinity)) notFalling++;
              lower.set(timeUs, p);
            }
          }
        }
      }
    } finally {
      await open.close();
    }
    const count = (part: string): number => cells.filter(({ failed }) => failed.includes(part)).length;
    const parts = [...new Set(cells.flatMap(({ failed }) => failed))].map((part) => `${part} in ${count(part)}`);
    return {
      about: [
        'EWMA is the volatility baseline of the version, without a bound. Difference of AUC with its one-sided lower 90 % bound, which must be above −0.002; Brier skill against the baseline refitted at each threshold on the other months, at least 0. Other intervals are of 95 %; all are over days.',
        'Hits of the windows with the highest probabilities less those of EWMA, of which no interval may be below 0. Hits of marks, of as many windows by the probability and by EWMA, and the first less the last. Inversions: windows without a mark, although their probability is above that of a mark and no other reason holds.',
        `Of ${cells.length} cells, ${cells.filter(({ failed }) => failed.length === 0).length} pass; fails: ${parts.join(', ') || 'none'}. The probability does not fall from one threshold to the next in ${notFalling} windows.`,
      ],
      tables: [
        { title: 'Scores', head: ['series, horizon, threshold', 'windows', 'base rate', 'probability', 'AUC, EWMA', 'AUC difference', 'skill', 'gate'], lines: cells.map(({ scores }) => scores) }, // prettier-ignore
        { title: 'Hits', head: ['series, horizon, threshold', 'top 1 % − EWMA', 'top 5 %', 'top 10 %', 'marked', 'marks, own top, EWMA', 'marks − EWMA', 'inversions'], lines: cells.map(({ hits }) => hits) }, // prettier-ignore
      ],
    };
  },
};
