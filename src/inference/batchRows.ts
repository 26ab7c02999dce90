import { chooseMaxBatch, type BatchTime } from '../batching/chooseMaxBatch.ts';
import { MicroBatcher, type MicroBatcherDeps, type RunBatch } from '../batching/MicroBatcher.ts';
import type { Clock } from '../core/Clock.ts';
import type { NetworkOutput } from '../model/NetworkSpec.ts';
import type { InferenceRow } from './InferenceHost.ts';

export type BatchingOptions = {
  readonly clock: Clock;
  /** Called after each batch. */
  readonly onBatch?: (time: BatchTime) => void;
};

/** How batches reach the device. */
type Way = Pick<MicroBatcherDeps<unknown, unknown>, 'whenArrived' | 'maxRunning'>;

export const WAY = {
  /** On the thread that the rows come from: nothing else happens while a batch runs, so it holds all that has arrived. */
  onThread: { whenArrived: (start) => void setImmediate(start), maxRunning: 1 },
  /** To another process: the first row goes while the next one is read, and a second batch waits there while the first one runs. */
  toProcess: { whenArrived: (start) => start(), maxRunning: 2 },
} as const satisfies Record<string, Way>;

/** `remeasure`: the device is another one now, and `measured` tells what the warm-up took there. */
export type RowBatcher = Pick<MicroBatcher<InferenceRow, NetworkOutput>, 'submit' | 'close' | 'queued'> & { remeasure(): void };

/** A batcher of rows over a device; `measured` tells what the warm-up took, and is asked with the first item. */
export function batchRows(
  run: RunBatch<InferenceRow, NetworkOutput>,
  measured: () => readonly BatchTime[],
  way: Way,
  { clock, onBatch }: BatchingOptions,
): RowBatcher {
  let maxBatch: number | undefined;
  const batcher = new MicroBatcher<InferenceRow, NetworkOutput>({
    run,
    clock,
    ...way,
    maxBatch: () => (maxBatch ??= chooseMaxBatch(measured())),
    ...(onBatch === undefined ? {} : { onBatch }),
  });
  return Object.assign(batcher, { remeasure: () => (maxBatch = undefined) });
}

/** The caller may write over its arrays at once. */
export function copyRow({ sequence, context, baseline, head }: InferenceRow): InferenceRow {
  return { sequence: sequence.slice(), context: context.slice(), baseline, head };
}
