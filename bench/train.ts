import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import * as path from 'node:path';
import { packageRoot } from '../src/core/packageRoot.ts';
import { syntheticTicks } from '../src/ticks/syntheticTicks.ts';
import { openRuntime } from '../src/engine/runtime/openRuntime.ts';
import type { BackendName } from '../src/engine/runtime/Runtime.ts';
import { seededRandom } from '../src/core/Random.ts';
import { buildRows } from '../training/data/buildRows.ts';
import { BASE_SCOPE } from '../training/data/HorizonScope.ts';
import { planTrainRows } from '../training/data/planRows.ts';
import { sourceOfSeries } from '../training/data/readSources.ts';
import { fitBaselines } from '../training/loop/predictRows.ts';
import { fitScaling, initialWeights } from '../training/loop/scaling.ts';
import { networkSubject } from '../training/loop/trainNetwork.ts';
import { trunkRows } from '../training/loop/trunkRows.ts';
import { networkSpec } from '../training/networkSpec.ts';
import type { NetworkSpec } from '../src/engine/model/NetworkWeights.ts';
import type { RowSet } from '../training/data/RowSet.ts';
import { allRows } from '../training/splits/planFolds.ts';
import type { Bench, BenchRow } from './Bench.ts';

const TICKS = 60_000;
/** Number of series for the timed rows: enough to benefit from threads. */
const SERIES = 8;
const BATCH = 128;
/** The shipped network, and one as large as the first base. */
const SPECS = [
  { name: 'of the shipped network', spec: { ...networkSpec(16), dense: 80 } },
  { name: 'of 48 units', spec: networkSpec(48) },
] as const;
const STEPS = 24;

export const bench: Bench = {
  name: 'train',
  about: 'Training: rows computed per second, steps, fraction of the time spent waiting for data.',
  async run(): Promise<BenchRow[]> {
    const runtime = await openRuntime((process.env['RUNTIME_BACKEND'] ?? 'auto') as BackendName);
    const source = sourceOfSeries('bench', syntheticTicks({ seed: 1, count: TICKS, medianGapMs: 400 }), 'bench');
    const plan = planTrainRows([source], { scope: BASE_SCOPE, seed: 1, maxPerBucket: 600 });
    const { rows } = await buildRows([source], plan, 1);
    const many = Array.from({ length: SERIES }, (_, at) =>
      sourceOfSeries(`bench ${at}`, syntheticTicks({ seed: 2 + at, count: TICKS, medianGapMs: 400 }), 'bench'),
    );
    const manyPlan = planTrainRows(many, { scope: BASE_SCOPE, seed: 1, maxPerBucket: 2600 });
    const startMs = performance.now();
    await buildRows(many, manyPlan, 1);
    const oneMs = performance.now() - startMs;
    const threads = availableParallelism();
    const threadsMs = await timeThreads(many, manyPlan, threads);
    const index = allRows(rows);
    const steps = SPECS.map(({ name, spec }) => timeSteps(`${name} on ${runtime.backend}`, spec, rows, index));
    const [{ spec }] = SPECS;
    const start = initialWeights(spec, fitBaselines(rows, index, spec.heads), 1);
    const trunkMs = timesOf(() => trunkRows(spec, start, rows, index.subarray(0, 512), 2), 3);
    return [
      {
        what: 'windows to rows, one thread (200 to 3000 ticks)',
        value: (1000 * manyPlan.count) / oneMs,
        unit: 'rows/s',
        target: '>= 4000 a core',
      },
      {
        what: `the same, ${threads} threads, including their start`,
        value: (1000 * manyPlan.count) / threadsMs,
        unit: 'rows/s',
        target: '>= 8000 on two cores',
      },
      ...steps.flat(),
      {
        what: 'frozen trunk, rows per second (both mirror images, 4 thresholds)',
        value: (1000 * 512) / lowerQuartile(trunkMs),
        unit: 'rows/s',
      },
    ];
  },
};

/** Steps of training without the optimiser. */
function timeSteps(name: string, spec: NetworkSpec, rows: RowSet, index: Int32Array): BenchRow[] {
  const options = { spec, baselines: fitBaselines(rows, index, spec.heads), batchSize: BATCH, seed: 1, validation: new Int32Array(0) };
  const subject = networkSubject(rows, index, options, fitScaling(rows, index), () => performance.now());
  const random = seededRandom(1);
  const step = (): unknown => subject.gradients(subject.start, index, 0, random);
  step();
  subject.times.waitedMs = 0;
  const ownMs = timesOf(step, STEPS);
  const waitFraction = subject.times.waitedMs / (ownMs.reduce((sum, ms) => sum + ms, 0) || 1);
  const what = `training step ${name}, ${BATCH} rows`;
  return [
    { what, value: lowerQuartile(ownMs), unit: 'ms' },
    { what: `${what}: waiting for data`, value: 100 * waitFraction, unit: '%', target: '< 5 %' },
  ];
}

/** Uses the build, because worker threads load their code from it. */
async function timeThreads(...given: Parameters<typeof buildRows>): Promise<number> {
  execFileSync(process.execPath, [path.join(packageRoot(), 'bin/build.js')]);
  const built = (await import(path.join(packageRoot(), 'dist/training/data/buildRows.js'))) as { buildRows: typeof buildRows };
  const beganMs = performance.now();
  await built.buildRows(...given);
  return performance.now() - beganMs;
}

function timesOf(run: () => unknown, count: number): number[] {
  return Array.from({ length: count }, () => {
    const startMs = performance.now();
    run();
    return performance.now() - startMs;
  });
}

function lowerQuartile(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 4)] ?? NaN;
}
