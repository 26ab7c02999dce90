import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { packageRoot } from '../src/core/packageRoot.ts';
import { curveKnots, knotsTowards, ThresholdCurve, type Knot } from '../src/forecast/thresholdCurve.ts';
import { loadModelFolder } from '../src/model/loadModelFolder.ts';
import type { HeadManifest, ModelManifest } from '../src/model/ModelManifest.ts';
import { openRuntime } from '../src/runtime/openRuntime.ts';
import { buildRows } from '../training/data/buildRows.ts';
import { planTestRows } from '../training/data/planRows.ts';
import { planOf } from '../training/data/RowPlan.ts';
import { isOpportunity } from '../training/data/RowSet.ts';
import { openTickSources } from '../training/data/TickSource.ts';
import { cellId, horizonOf } from '../training/evaluation/Scores.ts';
import { predictRows } from '../training/loop/predictRows.ts';
import { sigmoid } from '../training/metrics/logistic.ts';
import { allRows } from '../training/splits/planFolds.ts';
import type { Bench, BenchReport } from './Bench.ts';

/** Ticks that the shipped base was not trained on: a folder next to the checkout, or TICKS. */
const FOLDER = process.env['TICKS'] ?? path.resolve(import.meta.dirname, '../../shared/wider');
const SCOPE = { heads: [0, 1, 2], rangeS: [10, 300], testedS: [10, 60, 300] } as const;
const MOST_WINDOWS = 400;

/** ln(theta / theta*) of all knots of a version and of the middle between two of them, ascending, without 0. */
function testedRatios({ heads, trained }: ModelManifest): number[] {
  const knots = heads.flatMap((head) => curveKnots(head, trained.logThetaRatio).map(({ logRatio }) => logRatio));
  const sorted = [...new Set(knots)].sort((a, b) => a - b);
  return sorted.flatMap((knot, at) => (at === 0 ? [knot] : [((sorted[at - 1] as number) + knot) / 2, knot])).filter((ratio) => ratio !== 0);
}

type Tally = { windows: number; hits: number; marks: number; markHits: number; expected: number; squares: number };
const newTally = (): Tally => ({ windows: 0, hits: 0, marks: 0, markHits: 0, expected: 0, squares: 0 });

/** The decision threshold without interpolation: constant in each band. */
function bandDecision({ bands }: HeadManifest, logRatio: number): number {
  const found = bands.upper.findIndex((upper) => logRatio <= upper + 1e-9);
  return bands.decision.at(found) ?? Infinity;
}

export const bench: Bench = {
  name: 'thresholds',
  about:
    'Marks of the shipped base by threshold, on ticks that it was not trained on: decision thresholds constant in each band, and the monotone curve.',
  async run(): Promise<BenchReport> {
    if (!existsSync(FOLDER)) throw new Error(`There are no ticks in ${FOLDER}. Set TICKS to a folder of tick files.`);
    await openRuntime('wasm');
    const models = path.join(packageRoot(), 'models');
    const { manifest, weights } = loadModelFolder(path.join(models, readdirSync(models).sort().at(-1) as string));
    const files = readdirSync(FOLDER).filter((file) => file.endsWith('.csv.gz'));
    const { sources } = await openTickSources(
      files.map((file) => path.join(FOLDER, file)),
      { groups: {}, reading: {}, cacheDir: path.join(tmpdir(), 'tickmark-bench-thresholds'), lookAheadS: 302, onRead: () => {} },
    );
    const planned = planTestRows(sources, { scope: SCOPE, seed: 5, maxCount: MOST_WINDOWS });
    const tested = testedRatios(manifest);
    const wide = planned.blocks.map((block) => ({
      ...block,
      logThetaRatios: Float64Array.from({ length: block.origin.length * tested.length }, (_, at) => tested[at % tested.length] as number),
    }));
    const { rows } = await buildRows(sources, planOf(wide, 1 + tested.length), 1, () => {});
    const predicted = predictRows(manifest.network, weights, rows, allRows(rows));
    const ratios = [0, ...tested];
    const order = [...ratios.keys()].sort((a, b) => (ratios[a] as number) - (ratios[b] as number));
    const cellOf = (row: number, draw: number): string => `${cellId(rows.instrument[row] as number, horizonOf(rows, row))}/${draw}`;
    const rates = new Map<string, { windows: number; hits: number }>();
    for (let row = 0; row < rows.count; row++)
      for (const draw of ratios.keys()) {
        const rate = rates.get(cellOf(row, draw)) ?? { windows: 0, hits: 0 };
        rates.set(cellOf(row, draw), { windows: rate.windows + 1, hits: rate.hits + isOpportunity(rows, row, draw) });
      }
    const tallies = ratios.map(() => ({ bands: newTally(), curve: newTally() }));
    const reappears = { bands: 0, curve: 0 };
    const rises = { bands: 0, curve: 0 };
    for (let row = 0; row < rows.count; row++) {
      const head = manifest.heads[rows.head[row] as number] as HeadManifest;
      const knots = curveKnots(head, manifest.trained.logThetaRatio);
      const logit = (draw: number): number =>
        (predicted.baseline[row * rows.draws + draw] as number) + (predicted.residual[row * rows.draws + draw] as number);
      const drawOf = ({ logRatio }: Knot): number => ratios.findIndex((ratio) => Math.abs(ratio - logRatio) < 1e-6);
      // Thresholds below the cost are lifted to the cost, and are not at their ratio.
      const isExact = (draw: number): boolean => {
        const theta = rows.theta[row * rows.draws + draw] as number;
        return Math.abs(Math.log(theta / (rows.thetaDefault[row] as number)) - (ratios[draw] as number)) < 1e-6;
      };
      let before: { bands: readonly [boolean, number]; curve: readonly [boolean, number] } | null = null;
      for (const draw of order) {
        const logRatio = ratios[draw] as number;
        const needed = knotsTowards(knots, logRatio);
        if (!isExact(draw) || !needed.every((knot) => isExact(drawOf(knot)))) continue;
        const level = new ThresholdCurve(
          needed,
          needed.map((knot) => logit(drawOf(knot))),
        ).at(logRatio);
        const answers = {
          bands: [sigmoid(logit(draw)) >= bandDecision(head, logRatio), logit(draw)],
          curve: [level.margin >= 0, level.total],
        } as const;
        const hit = isOpportunity(rows, row, draw);
        const { windows, hits } = rates.get(cellOf(row, draw)) as { windows: number; hits: number };
        for (const way of ['bands', 'curve'] as const) {
          const [isMarked, total] = answers[way];
          const tally = (tallies[draw] as { bands: Tally; curve: Tally })[way];
          tally.windows++;
          tally.hits += hit;
          tally.squares += (sigmoid(total) - hit) ** 2;
          if (isMarked) {
            tally.marks++;
            tally.markHits += hit;
            tally.expected += hits / windows;
          }
          if (before !== null && isMarked && !before[way][0]) reappears[way]++;
          if (before !== null && total > before[way][1] + 1e-9) rises[way]++;
        }
        before = answers;
      }
    }
    const fixed = (value: number): string => value.toFixed(3);
    const line = ({ windows, marks, markHits, expected, squares }: Tally): string[] => [
      `${((100 * marks) / windows).toFixed(1)} %`,
      fixed(markHits / marks),
      (markHits / expected).toFixed(2),
      (squares / windows).toFixed(5),
    ];
    const names = ['marked', 'precision', 'ratio', 'Brier score'];
    return {
      about: [
        `${rows.count} windows of ${sources.length} series; ${manifest.id}. Ratio: precision over the base rates of the marked series.`,
        `A null turns into a mark, as the threshold rises: ${reappears.bands} steps with bands, ${reappears.curve} with the curve.`,
        `The probability rises: ${rises.bands} steps with bands, ${rises.curve} with the curve.`,
      ],
      tables: [
        {
          title: 'Marks by threshold',
          head: [
            'ln(theta/theta*)',
            'windows',
            'base rate',
            ...names.map((name) => `bands: ${name}`),
            ...names.map((name) => `curve: ${name}`),
          ],
          lines: order.map((draw) => {
            const { bands, curve } = tallies[draw] as { bands: Tally; curve: Tally };
            const ratio = (ratios[draw] as number).toFixed(2);
            return [ratio, String(bands.windows), fixed(bands.hits / bands.windows), ...line(bands), ...line(curve)];
          }),
        },
      ],
    };
  },
};
