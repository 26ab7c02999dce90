/** How long a batch of some size took. */
export type BatchTime = { readonly size: number; readonly ms: number };

const KEPT = 31;
/** A fit looks at some hundred pairs: it is made anew after this many batches, not after each. */
const REFIT_AFTER = 16;

/**
 * Learns how long a batch of n takes, as a·n + b, from the last batches. The fit is that of Theil and Sen: a is the median slope of all pairs of
 * different size, b the median of what is left, so that up to a quarter of the batches may have met a pause of the machine.
 */
export class DurationModel {
  readonly #times: BatchTime[] = [];
  #perItemMs = 0;
  #perBatchMs = 0;
  #sinceFit = 0;

  /** `measured`: what is known before the first batch, such as the times of the warm-up. */
  constructor(measured: readonly BatchTime[] = []) {
    this.#times.push(...measured.slice(-KEPT));
    this.#fit();
  }

  learn(time: BatchTime): void {
    this.#times.push(time);
    if (this.#times.length > KEPT) this.#times.shift();
    if (++this.#sinceFit >= REFIT_AFTER || this.#times.length <= REFIT_AFTER) this.#fit();
  }

  /** Milliseconds that a batch of this size is expected to take; 0 before anything is known. */
  expect(size: number): number {
    return size === 0 ? 0 : this.#perBatchMs + this.#perItemMs * size;
  }

  #fit(): void {
    this.#sinceFit = 0;
    const times = this.#times;
    if (times.length === 0) return;
    const slopes: number[] = [];
    for (const [i, a] of times.entries())
      for (const b of times.slice(i + 1)) if (a.size !== b.size) slopes.push((b.ms - a.ms) / (b.size - a.size));
    const perItemMs = slopes.length === 0 ? 0 : median(slopes);
    const perBatchMs = perItemMs > 0 ? median(times.map(({ size, ms }) => ms - perItemMs * size)) : 0;
    // Sizes that are all one, or noise that outweighs them: each item costs its share.
    const isLine = perItemMs > 0 && perBatchMs >= 0;
    this.#perItemMs = isLine ? perItemMs : median(times.map(({ size, ms }) => ms / size));
    this.#perBatchMs = isLine ? perBatchMs : 0;
  }
}

function median(values: number[]): number {
  values.sort((a, b) => a - b);
  const middle = values.length >> 1;
  const upper = values[middle] ?? 0;
  return values.length % 2 === 1 ? upper : ((values[middle - 1] ?? upper) + upper) / 2;
}
