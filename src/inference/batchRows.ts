import { Batcher, type BatcherDeps, type RunBatch } from '../batching/Batcher.ts';
import { chooseMaxBatch } from '../batching/batchPolicy.ts';
import { DurationModel, type BatchTime } from '../batching/DurationModel.ts';
import type { Clock } from '../core/Clock.ts';
import type { InferenceRow } from './InferenceHost.ts';

export type BatchingOptions = {
  readonly clock: Clock;
  /** Rows that may wait. */
  readonly maxWaiting?: number;
  /** Told of every batch that ran. */
  readonly onBatch?: (time: BatchTime) => void;
};

/** A row is some 5 kB: together about 10 MB. */
const MAX_WAITING = 2048;

/** How batches reach the device. */
type Way = Pick<BatcherDeps<unknown, unknown>, 'whenArrived' | 'maxUnderWay'>;

export const WAY = {
  /** On the thread that the rows come from: nothing else happens while a batch runs, so it had better hold all that has arrived. */
  onThread: { whenArrived: (start) => void setImmediate(start), maxUnderWay: 1 },
  /** To another process: the first row goes while the next one is read, and a second batch waits there while the first one runs. */
  toProcess: { whenArrived: (start) => start(), maxUnderWay: 2 },
} as const satisfies Record<string, Way>;

/** `remeasure`: the device is another one now, and `measured` tells what the warm-up took there. */
export type RowBatcher<T, R> = Pick<Batcher<T, R>, 'submit' | 'close' | 'waiting' | 'running'> & { remeasure(): void };

/** A batcher of rows, or of payloads that hold one, over a device; `measured` tells what the warm-up took, and is asked with the first item. */
export function batchRows<T, R>(
  run: RunBatch<T, R>,
  measured: () => readonly BatchTime[],
  way: Way,
  { clock, maxWaiting = MAX_WAITING, onBatch }: BatchingOptions,
): RowBatcher<T, R> {
  let durations: DurationModel | undefined;
  let maxBatch: number | undefined;
  const batcher = new Batcher<T, R>({
    run,
    clock,
    ...way,
    durations: { expect: (size) => (durations ??= new DurationModel(measured())).expect(size), learn: (time) => durations?.learn(time) },
    maxBatch: () => (maxBatch ??= chooseMaxBatch(measured())),
    maxWaiting,
    ...(onBatch === undefined ? {} : { onBatch }),
  });
  return Object.assign(batcher, {
    remeasure: () => {
      durations = undefined;
      maxBatch = undefined;
    },
  });
}

/** The caller may write over its arrays at once. */
export function copyRow({ sequence, context, baseline, head }: InferenceRow): InferenceRow {
  return { sequence: sequence.slice(), context: context.slice(), baseline, head };
}

export const NOBODY = { owner: '' };
