import type { WarmedBatch } from './warmUp.ts';

/** A larger batch is only worth its longer latency when its throughput is this much above the best smaller one. */
const WORTH = 1.05;

/**
 * The largest batch that is worth forming, from times measured at ascending sizes: the smallest size beyond which no other measured one runs 5 % more
 * items a second. Without any measurement, 1.
 */
export function chooseMaxBatch(warmed: readonly WarmedBatch[]): number {
  let best = { size: 1, perMs: 0 };
  for (const { batch, readout } of warmed) {
    const perMs = batch / readout.ms;
    if (perMs > WORTH * best.perMs) best = { size: batch, perMs };
  }
  return best.size;
}
