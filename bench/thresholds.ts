import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { openForecaster } from '../src/service/app/openForecaster.ts';
import { readSettings } from '../src/core/config/settings.ts';
import { seededRandom } from '../src/core/Random.ts';
import { US_PER_SECOND } from '../src/core/units.ts';
import { readTickFile } from '../src/ticks/import/streamTickFile.ts';
import { suitableTicks } from '../src/engine/model/suitableTicks.ts';
import { brierSkill } from '../src/engine/scoring/brierSkill.ts';
import { comparePaired } from '../training/metrics/comparePaired.ts';
import { fitLogistic, sigmoid } from '../training/metrics/logistic.ts';
import { precisionAtCoverage } from '../training/metrics/probability.ts';
import { replayTicks, type ReplayedWindow } from '../training/replay/replayTicks.ts';
import type { Bench } from './Bench.ts';

/** Folder of months of ticks, one file a month, `<series>-YYYY-MM.csv.gz`, that the shipped version was not trained on. */
const FOLDER = process.env['MONTHS'] ?? '';
const HORIZONS_S = [60, 300, 1800];
/** Multiples of the median default threshold of a series and horizon. */
const FACTORS = [0.25, 0.5, 1, 2];
/** Windows at 60 s: one in four minutes. */
const LEAST_EVERY_S = 240;
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

function lineOf(name: string, rows: readonly Scored[]): string[] {
  const column = (value: (row: Scored) => number): Float64Array => Float64Array.from(rows, value);
  const [p, ewma, y] = [column((row) => row.p), column((row) => row.ewma), Uint8Array.from(rows, (row) => row.y)];
  const cluster = Int32Array.from(rows, ({ timeUs }) => Math.floor(timeUs / DAY_US));
  const { intervals, baseRate } = comparePaired({ p, pBase: ewma, y, cluster, cell: new Int32Array(rows.length) }, { random: seededRandom(1) }); // prettier-ignore
  const again = refitted(rows);
  const skill = brierSkill(rows.map(({ timeUs }, at) => ({ timeUs, probability: p[at]!, baselineProbability: again[at]!, moved: y[at] === 1 }))); // prettier-ignore
  const marks = rows.filter(({ isMarked }) => isMarked);
  const lowest = Math.min(...marks.map((row) => row.p));
  const inversions = rows.filter((row) => !row.isMarked && row.isFree && row.p > lowest).length;
  const hits = (of: Float64Array, share: number): string => (share === 0 ? 'none' : precisionAtCoverage(of, y, share).toFixed(3));
  const top = [0.01, 0.05, 0.1].map((share) => `${hits(p, share)}, ${hits(ewma, share)}`);
  const share = marks.length / rows.length;
  const ofMarks = marks.length === 0 ? 'none' : (marks.reduce((sum, row) => sum + row.y, 0) / marks.length).toFixed(3);
  const { aucModel, aucBase, aucDifference } = intervals;
  return [
    ...[name, String(rows.length), baseRate.toFixed(3), `${aucModel.estimate.toFixed(3)}, ${aucBase.estimate.toFixed(3)}`],
    `${aucDifference.estimate.toFixed(4)} (≥ ${aucDifference.lower90OneSided.toFixed(4)})`,
    ...[skill === null ? '' : skill.skill.toFixed(4), ...top],
    ...[`${(100 * share).toFixed(1)} %`, `${ofMarks}, ${hits(p, share)}, ${hits(ewma, share)}`, String(inversions)],
  ];
}

export const bench: Bench = {
  name: 'thresholds',
  about: 'The shipped version at fixed thresholds on months of ticks that it never saw, against its volatility baseline.',
  async run(only = '') {
    if (FOLDER === '') throw new Error('MONTHS must name a folder of <series>-YYYY-MM.csv.gz.');
    const files = readdirSync(FOLDER).filter((file) => file.endsWith('.csv.gz')).sort(); // prettier-ignore
    const names = [...new Set(files.map((file) => file.replace(/-\d{4}-\d\d\.csv\.gz$/, '')))];
    const open = await openForecaster(readSettings({ RUNTIME_BACKEND: 'wasm' }), { batches: [1] });
    const lines: string[][] = [];
    try {
      const { manifest } = open.models.find(open.models.defaultId)!;
      for (const name of names) {
        const months = files.filter((file) => file.startsWith(name));
        for (const horizonS of HORIZONS_S.filter((each) => `${name} ${each} s`.includes(only))) {
          const ticks = Math.min(500, suitableTicks(manifest, horizonS));
          const options = { ticks, horizonUs: horizonS * US_PER_SECOND, everyUs: Math.max(horizonS + 1, LEAST_EVERY_S) * US_PER_SECOND };
          const own: number[] = [];
          for (const file of months) {
            const { series } = await readTickFile(path.join(FOLDER, file));
            for await (const { minMoveBps } of replayTicks(open.forecaster, series, options)) if (minMoveBps !== null) own.push(minMoveBps);
          }
          const median = own.sort((a, b) => a - b)[own.length >> 1]!;
          for (const factor of FACTORS) {
            const rows: Scored[] = [];
            for (const [month, file] of months.entries()) {
              const { series } = await readTickFile(path.join(FOLDER, file));
              for await (const window of replayTicks(open.forecaster, series, {
                ...options,
                minMoveBps: Number((factor * median).toPrecision(6)),
              }))
                rows.push(...scoredOf(window, month));
            }
            lines.push(lineOf(`${name} ${horizonS} s, ${factor} × ${median.toFixed(2)} bps`, rows));
          }
        }
      }
    } finally {
      await open.close();
    }
    const head = ['series, horizon, threshold', 'windows', 'base rate', 'AUC, EWMA', 'difference', 'skill', 'top 1 %, EWMA', 'top 5 %', 'top 10 %', 'marked', 'hits: marks, own top, EWMA', 'inversions']; // prettier-ignore
    return {
      about: [
        'EWMA is the volatility baseline of the version. Difference of AUC with its one-sided lower 90 % bound over days; skill against the baseline refitted at each threshold on the other months.',
        'Inversions: windows without a mark, although their probability is above that of a mark and no other reason holds.',
      ],
      tables: [{ title: 'Fixed thresholds', head, lines }],
    };
  },
};
