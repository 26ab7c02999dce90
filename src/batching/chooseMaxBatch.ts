/** How long a batch of some size took. */
export type BatchTime = { readonly size: number; readonly ms: number };

/** A larger batch is only worth its longer latency when its throughput is this much above the best smaller one. */
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
