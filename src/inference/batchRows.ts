import { Batcher, type RunBatch } from '../batching/Batcher.ts';
import { chooseMaxBatch } from '../batching/batchPolicy.ts';
import { DurationModel, type BatchTime } from '../batching/DurationModel.ts';
import type { Clock } from '../core/Clock.ts';
import type { NetworkOutput } from '../model/NetworkSpec.ts';
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

/** A batcher of rows over a device; `measured` tells what the warm-up took, and is asked once the first row has come. */
export function batchRows(
  run: RunBatch<InferenceRow, NetworkOutput>,
  measured: () => readonly BatchTime[],
  { clock, maxWaiting = MAX_WAITING, onBatch }: BatchingOptions,
): Batcher<InferenceRow, NetworkOutput> {
  let durations: DurationModel | undefined;
  let maxBatch: number | undefined;
  return new Batcher<InferenceRow, NetworkOutput>({
    run,
    clock,
    // What else has arrived by then joins the batch.
    whenArrived: (start) => void setImmediate(start),
    durations: { expect: (size) => (durations ??= new DurationModel(measured())).expect(size), learn: (time) => durations?.learn(time) },
    maxBatch: () => (maxBatch ??= chooseMaxBatch(measured())),
    maxWaiting,
    ...(onBatch === undefined ? {} : { onBatch }),
  });
}

/** The caller may write over its arrays at once. */
export function copyRow({ sequence, context, baseline, head }: InferenceRow): InferenceRow {
  return { sequence: sequence.slice(), context: context.slice(), baseline, head };
}

export const NOBODY = { owner: '' };
