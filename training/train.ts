import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import * as path from 'node:path';
import { systemClock } from '../src/core/Clock.ts';
import { seededRandom } from '../src/core/Random.ts';
import { ServiceError } from '../src/core/ServiceError.ts';
import { CONTEXT_COLUMNS } from '../src/features/columns.ts';
import { SEQUENCE_COLUMNS, SEQUENCE_STEPS } from '../src/features/WindowMeasures.ts';
import { BUCKET_UPPER_S, type NetworkSpec } from '../src/model/NetworkSpec.ts';
import { openRuntime } from '../src/runtime/openRuntime.ts';
import { buildRows, type MadeRows } from './data/buildRows.ts';
import { readInstruments, type Instrument } from './data/Instrument.ts';
import { LOG_THETA_RANGE, planTestRows, planTrainRows, type PlannedRow } from './data/planRows.ts';
import { readSources } from './data/readSources.ts';
import { syntheticInstruments } from './data/syntheticInstruments.ts';
import { judge } from './evaluation/judge.ts';
import { gatherOutOfFold } from './evaluation/outOfFold.ts';
import { runJobs } from './loop/runJobs.ts';
import type { TrainJob } from './loop/TrainJob.ts';
import { allRows, planFolds } from './splits/planFolds.ts';
import type { TrainEvent, TrainOptions, TrainReport } from './TrainOptions.ts';
import { writeVersion } from './writeVersion.ts';

/** Horizons at which every version is judged, seconds. */
const JUDGED_HORIZONS_S = [10, 60, 300, 1800] as const;
/** Random thresholds beside theta* per training row. */
const TRAIN_DRAWS = 3;
/** ln(theta / theta*) of the two further thresholds per test row: the middle of the outer decision bands. */
const TEST_RATIOS = [-0.6, 0.6] as const;
const MIN_TRAIN_ROWS = 1000;
const MIN_TEST_ROWS = 200;

const SPEC: NetworkSpec = {
  steps: SEQUENCE_STEPS,
  sequenceColumns: SEQUENCE_COLUMNS,
  contextColumns: CONTEXT_COLUMNS,
  units: 48,
  dense: 48,
  adapterRank: 4,
  heads: BUCKET_UPPER_S.length,
};

/**
 * From tick files to a model version: read, make rows, train one network per left-out group, judge them on the groups they never saw
 * beside the EWMA logistic, fit calibration and thresholds on those predictions, train the served network on all rows, write the folder.
 * Throws ServiceError `command.invalid` where the name is taken, `file.*`, `runtime.refused`, `training.too_little_data`, `training.diverged`.
 */
export async function train(options: TrainOptions, onEvent: (event: TrainEvent) => void): Promise<TrainReport> {
  const startMs = systemClock.monotonicMs();
  if (!options.dryRun) prepareFolder(options);
  const runtime = options.dryRun ? undefined : await openRuntime(options.backend, options);
  if (runtime !== undefined) onEvent({ kind: 'note', text: `training on ${runtime.description}` });
  const sources = readSources(options.sources);
  const synthetic = options.data.length === 0;
  const instruments = synthetic
    ? syntheticInstruments(options.seed)
    : await readInstruments(options.data, options.groups, (name, rows) => onEvent({ kind: 'read', name, rows }));
  const built = makeRows(instruments, options, onEvent);
  const folds = planFolds(instruments, built.train.rows, built.test.rows);
  const report = {
    id: options.id,
    synthetic,
    trainRows: built.train.rows.count,
    testRows: built.test.rows.count,
    trainCounts: built.train.counts,
    testCounts: built.test.counts,
    folds: folds.map(({ name }) => name),
  };
  const seconds = (): number => (systemClock.monotonicMs() - startMs) / 1000;
  if (runtime === undefined) return { ...report, folder: null, table: '', atOrAboveBaseline: null, seconds: seconds() };
  refuseTooLittle(built, folds);

  const jobs: TrainJob[] = [
    ...folds.map((fold, i) => ({ ...fold, name: `without ${fold.name}`, seed: options.seed + 101 * (i + 1) })),
    { name: 'all rows', train: allRows(built.train.rows), test: new Int32Array(0), seed: options.seed },
  ];
  const { epochs, batchSize, learningRate } = options;
  const { backend } = runtime;
  const setting = { epochs, batchSize, learningRate, backend, trainRows: built.train.rows, testRows: built.test.rows, spec: SPEC };
  const results = await runJobs(jobs, setting, options.workers, progressOf(jobs, options, onEvent));
  const served = results.pop();
  if (served === undefined) throw new Error('no job ran');
  const outOfFold = gatherOutOfFold(
    built.test.rows,
    results.map(({ predicted }) => predicted),
  );
  const judgement = judge(built.test.rows, outOfFold, instruments, options.seed);
  const folder = await writeVersion({ options, spec: SPEC, instruments, sources, built, folds, served, outOfFold, judgement });
  return { ...report, folder, table: judgement.table, atOrAboveBaseline: judgement.atOrAboveBaseline, seconds: seconds() };
}

/** Before the work of minutes or hours, not after it. */
function prepareFolder({ out, id, replace }: TrainOptions): void {
  if (!replace && existsSync(path.join(out, id)))
    throw new ServiceError('command.invalid', `A version ${id} is in ${out} already. Give this one another --name, or pass --replace.`);
  try {
    mkdirSync(out, { recursive: true });
    accessSync(out, constants.W_OK);
  } catch (cause) {
    throw new ServiceError('file.unreadable', `The version cannot be written to ${out}: ${(cause as Error).message}.`, { cause });
  }
}

function makeRows(instruments: readonly Instrument[], options: TrainOptions, onEvent: (event: TrainEvent) => void): MadeRows {
  const random = seededRandom(options.seed);
  const trainPlan = instruments.flatMap((instrument, index) => planTrainRows(instrument, index, random, options));
  const testPlan = instruments.flatMap((instrument, index) =>
    JUDGED_HORIZONS_S.flatMap((horizonS): PlannedRow[] => planTestRows(instrument, index, horizonS, random)),
  );
  const report = (what: 'training' | 'test') => (done: number, total: number) => onEvent({ kind: 'rows', what, done, total });
  return {
    train: buildRows(trainPlan, TRAIN_DRAWS, () => LOG_THETA_RANGE * (2 * random.uniform() - 1), report('training')),
    test: buildRows(testPlan, TEST_RATIOS.length, (draw) => TEST_RATIOS[draw - 1] as number, report('test')),
  };
}

function refuseTooLittle(
  { train: { rows }, test }: MadeRows,
  folds: readonly { readonly name: string; readonly train: Int32Array }[],
): void {
  const least = Math.min(...folds.map(({ train }) => train.length));
  if (folds.length === 0 || least < MIN_TRAIN_ROWS)
    throw new ServiceError(
      'training.too_little_data',
      `The ticks give ${rows.count} training rows, and ${folds.length === 0 ? 0 : least} when a group is left out; at least ${MIN_TRAIN_ROWS} are needed.`,
    );
  if (test.rows.count < MIN_TEST_ROWS)
    throw new ServiceError(
      'training.too_little_data',
      `The ticks give ${test.rows.count} test rows; at least ${MIN_TEST_ROWS} are needed.`,
    );
}

/** Progress over all jobs, which differ in rows: steps done of steps in all, and the time that the rest takes at the rate so far. */
function progressOf(jobs: readonly TrainJob[], options: TrainOptions, onEvent: (event: TrainEvent) => void) {
  const startMs = systemClock.monotonicMs();
  const stepsOf = (job: TrainJob): number => Math.floor(job.train.length / options.batchSize) * options.epochs;
  const total = jobs.reduce((sum, job) => sum + stepsOf(job), 0);
  const done = new Map<string, { step: number; steps: number }>();
  return (name: string, at: { step: number; steps: number; loss: number }): void => {
    done.set(name, at);
    const share = [...done.values()].reduce((sum, { step }) => sum + step, 0) / total;
    const elapsedS = (systemClock.monotonicMs() - startMs) / 1000;
    const jobsDone = [...done.values()].filter(({ step, steps }) => step === steps).length;
    onEvent({ kind: 'training', jobs: jobs.length, jobsDone, share, loss: at.loss, etaS: (elapsedS / share) * (1 - share) });
  };
}
