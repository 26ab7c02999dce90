import * as path from 'node:path';
import { ServiceError } from '../src/core/ServiceError.ts';
import { codeFingerprint } from './codeFingerprint.ts';
import { planTestRows, planTrainRows } from './data/planRows.ts';
import { refuseConstant } from './data/prepareRows.ts';
import type { HorizonScope } from './data/HorizonScope.ts';
import { joinPlans, type RowPlan } from './data/RowPlan.ts';
import { syntheticSources } from './data/syntheticSources.ts';
import { openTickSources, type TickSource } from './data/TickSource.ts';
import { cutTimes, EMBARGO_S } from './splits/cutTimes.ts';
import type { TrainEvent, TrainOptions } from './TrainOptions.ts';

/** The plan of a run, before any row is computed. */
export type RunPlan = {
  readonly sources: readonly TickSource[];
  readonly train: RowPlan;
  readonly test: RowPlan;
  /** Time at which each source is cut into earlier training ticks and later test ticks, microseconds; null if groups are left out instead. */
  readonly cutsUs: readonly number[] | null;
  /** Sentences about the data: the series that move together. */
  readonly notes: readonly string[];
  readonly code: string;
  /** All inputs of the rows except the ticks. */
  readonly rowSettings: unknown;
  readonly cacheDir: string;
};

/** One-minute closes. */
const CLOSES_S = 60;
/** Fewest training rows and fewest test rows of a run. */
const MIN_TRAIN_ROWS = 1000;
const MIN_TEST_ROWS = 300;

/**
 * Reads the ticks and plans the windows of a run. A fine-tune trains on the earlier ticks of each group and is evaluated on the later ones;
 * a base of several groups trains on all and is evaluated by leaving groups out. Throws the errors of `openTickSources`.
 */
export async function planRun(options: TrainOptions, onEvent: (event: TrainEvent) => void): Promise<RunPlan> {
  const { scope, seed, maxPerBucket, fromUs, untilUs, mode, reading } = options;
  const cacheDir = path.join(options.workDir, 'cache');
  const { sources, notes } =
    options.data.length === 0
      ? { sources: syntheticSources(seed), notes: [] }
      : await openTickSources(options.data, {
          groups: options.groups,
          reading,
          cacheDir,
          lookAheadS: scope.rangeS[1] + 2,
          onRead: (name, rows) => onEvent({ kind: 'read', name, rows }),
        });
  for (const text of notes) onEvent({ kind: 'note', text });
  refuseConstant(sources);
  refuseShort(sources, scope.judgedS[0] ?? scope.rangeS[0]);
  const cutsUs = mode === 'fine_tune' ? cutTimes(sources).map((cut) => Math.min(Math.max(cut, fromUs), untilUs)) : null;
  const endOfTraining = (source: number): number => (cutsUs === null ? untilUs : (cutsUs[source] as number) - EMBARGO_S * 1e6);
  const startOfTest = (source: number): number => cutsUs?.[source] ?? fromUs;
  return {
    sources,
    notes,
    cutsUs,
    cacheDir,
    code: codeFingerprint(),
    rowSettings: { mode, scope, seed, maxPerBucket, fromUs, untilUs, cutsUs, reading },
    train: planTrainRows(sources, { scope, seed, maxPerBucket, fromUs, untilUs: endOfTraining }),
    test: joinPlans([
      planTestRows(sources, { scope, seed, fromUs: startOfTest, untilUs }),
      ...(mode === 'base'
        ? [planTestRows(sources, { scope: closesScope(scope), seed, fromUs: startOfTest, untilUs, barS: CLOSES_S })]
        : []),
    ]),
  };
}

/** A base is also evaluated on one-minute closes, at the horizons that contain at least two of them. */
function closesScope(scope: HorizonScope): HorizonScope {
  return { ...scope, judgedS: scope.judgedS.filter((horizonS) => horizonS >= 2 * CLOSES_S) };
}

/** With a horizon longer than the ticks, no window has a label. */
function refuseShort(sources: readonly TickSource[], horizonS: number): void {
  const longest = Math.max(...sources.map(({ firstUs, lastUs }) => (lastUs - firstUs) / 1e6));
  if (longest > horizonS) return;
  const names = sources.map(({ file }) => file.name).join(', ');
  throw new ServiceError(
    'training.too_little_data',
    `The horizon of ${horizonS} s is longer than the ticks: ${names} ${sources.length === 1 ? 'spans' : 'span at most'} ${longest.toFixed(1)} s.`,
  );
}

/** Throws ServiceError `training.too_little_data` with the found and the required numbers, before any row is computed. */
export function refuseTooLittle(trainRows: number, testRows: number, what: string): void {
  const days = (rows: number, needed: number): string =>
    `about ${Math.max(2, Math.ceil(needed / Math.max(1, rows)))} times as many days of ticks`;
  if (trainRows < MIN_TRAIN_ROWS)
    throw new ServiceError(
      'training.too_little_data',
      `The ticks give ${trainRows} training rows for ${what}; at least ${MIN_TRAIN_ROWS} are required: ${days(trainRows, MIN_TRAIN_ROWS)}.`,
    );
  if (testRows < MIN_TEST_ROWS)
    throw new ServiceError(
      'training.too_little_data',
      `The ticks give ${testRows} test rows for ${what}; at least ${MIN_TEST_ROWS} are required: ${days(testRows, MIN_TEST_ROWS)}.`,
    );
}
