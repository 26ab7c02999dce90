import type { BatchTime } from './DurationModel.ts';

/** A larger batch is only worth its longer way when it makes this much more of a second than the best smaller one. */
const WORTH = 1.05;

/**
 * The largest batch that is worth forming, from measured times: the smallest size beyond which no other measured one runs 5 % more items a second.
 * Without any measurement, 1.
 */
export function chooseMaxBatch(measured: readonly BatchTime[]): number {
  let best = { size: 1, perMs: 0 };
  for (const { size, ms } of [...measured].sort((a, b) => a.size - b.size)) {
    const perMs = size / ms;
    if (perMs > WORTH * best.perMs) best = { size, perMs };
  }
  return best.size;
}

export type Load = {
  /** Until the batch that runs is expected to end; 0: the device is free. */
  readonly remainingMs: number;
  /** Items that are served before the one that is asked about. */
  readonly countBefore: number;
  readonly maxBatch: number;
};

/** Milliseconds until an item that comes now is expected to be answered. */
export function predictWaitMs({ remainingMs, countBefore, maxBatch }: Load, expect: (size: number) => number): number {
  const fullBatches = Math.floor(countBefore / maxBatch);
  const rest = countBefore - fullBatches * maxBatch;
  return remainingMs + fullBatches * expect(maxBatch) + expect(rest + 1);
}
