import { ServiceError } from '../src/core/ServiceError.ts';
import type { TrainedSpan } from '../src/engine/model/Lineage.ts';
import type { ModelManifest } from '../src/engine/model/ModelManifest.ts';
import { codeFingerprint } from './RunFolder.ts';
import type { TrainOptions, TrainEvent } from './TrainOptions.ts';
import type { HorizonScope } from './data/HorizonScope.ts';
import { joinPlans, type RowPlan } from './data/RowPlan.ts';
import type { RowSet } from './data/RowSet.ts';
import { openTickSources, refuseConstant, type TickSource } from './data/TickSource.ts';
import { buildRows, type BuiltRows } from './data/buildRows.ts';
import { LOG_THETA_RANGE, planTestRows, planTrainRows } from './data/planRows.ts';
import { syntheticSources } from './data/readSources.ts';
import { cutTimes, EMBARGO_S } from './splits/splitValidation.ts';

/** Spans of the ticks that this run trained on. */
export function ownSpans({ id, fromUs, untilUs }: TrainOptions, { sources, cutsUs }: RunPlan): TrainedSpan[] {
  return sources.map(({ name, group, file, firstUs, lastUs, days }, at) => {
    const end = Math.min(lastUs, untilUs, cutsUs?.[at] ?? Infinity);
    const start = Math.max(firstUs, fromUs);
    return {
      name,
      group,
      fileSha256: file.sha256,
      by: id,
      fromUs: start,
      toUs: end,
      days: days.filter((day) => day.fromUs <= end && day.toUs >= start).map(({ day, sha256 }) => ({ day, sha256 })),
    };
  });
}

/** The range of the training rows, for the manifest: outside of it a version answers null with a reason. */
export function coveredRange(
  horizonS: readonly [number, number],
  rows: Pick<RowSet, 'medianGapS'>,
  maxHorizonToWindow: number,
): ModelManifest['trained'] {
  return {
    horizonS,
    horizonToWindow: [0, maxHorizonToWindow],
    medianGapS: middleRange(rows.medianGapS),
    logThetaRatio: [...LOG_THETA_RANGE],
  };
}

/** The range that contains all but one row in a thousand at either end. */
function middleRange(values: Float32Array): [number, number] {
  const sorted = values.slice().sort();
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] as number;
  return [at(0.001), at(0.999)];
}

/** The training or test rows of a plan. */
export function makeRows(
  what: 'training' | 'test',
  plan: RunPlan,
  { workers }: Pick<TrainOptions, 'workers'>,
  onEvent: (event: TrainEvent) => void,
): Promise<BuiltRows> {
  return buildRows(plan.sources, what === 'training' ? plan.train : plan.test, workers, (done, total) =>
    onEvent({ kind: 'rows', what, done, total }),
  );
}

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
  const { sources, notes } =
    options.data.length === 0
      ? { sources: syntheticSources(seed), notes: [] }
      : await openTickSources(options.data, {
          groups: options.groups,
          reading,
          workDir: options.workDir,
          lookAheadS: scope.rangeS[1] + 2,
          onRead: (name, rows) => onEvent({ kind: 'read', name, rows }),
        });
  for (const text of notes) onEvent({ kind: 'note', text });
  refuseConstant(sources);
  refuseShort(sources, scope.testedS[0] ?? scope.rangeS[0]);
  const cutsUs = cutsOf(sources, options);
  const endOfTraining = (source: number): number => (cutsUs === null ? untilUs : (cutsUs[source] as number) - EMBARGO_S * 1e6);
  const startOfTest = (source: number): number => cutsUs?.[source] ?? fromUs;
  return {
    sources,
    notes,
    cutsUs,
    code: codeFingerprint(),
    rowSettings: { mode, scope, seed, maxPerBucket, fromUs, untilUs, cutsUs, reading },
    train: planTrainRows(sources, {
      scope,
      seed,
      maxPerBucket,
      fromUs,
      untilUs: endOfTraining,
    }),
    test: joinPlans([
      planTestRows(sources, {
        scope,
        seed,
        fromUs: startOfTest,
        untilUs,
      }),
      ...(mode === 'base'
        ? [planTestRows(sources, { scope: closesScope(scope), seed, fromUs: startOfTest, untilUs, barS: CLOSES_S })]
        : []),
    ]),
  };
}

/** The cut of each source; null for a base. */
function cutsOf(sources: readonly TickSource[], { mode, fromUs, untilUs }: TrainOptions): number[] | null {
  if (mode === 'base') return null;
  return cutTimes(sources).map((cut) => Math.min(Math.max(cut, fromUs), untilUs));
}

/** A base is also evaluated on one-minute closes, at the horizons that contain at least two of them. */
function closesScope(scope: HorizonScope): HorizonScope {
  return { ...scope, testedS: scope.testedS.filter((horizonS) => horizonS >= 2 * CLOSES_S) };
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
