import { FairQueue } from './FairQueue.ts';

/** Bytes of messages after which no other one is handled in an iteration of the event loop, about 3 ms. */
const MOST_BYTES = 256 * 1024;
/** A started forecast, reading or writing the memory of a series in the store, and a tick that it learns, cost as much as reading this many bytes. */
export const FORECAST_BYTES = 8192;
export const STORE_BYTES = 256 * 1024;
export const LEARN_BYTES = 200;

/**
 * Bounds the work of one kind that a worker does in one iteration of the event loop, in bytes of messages that cost as much to read; what exceeds
 * it waits for the next ones. Accounts are served round-robin, so that one that floods delays only itself.
 */
export class IterationBudget {
  #bytes = 0;
  #isScheduled = false;
  readonly #waiting = new FairQueue<{ readonly bytes: number; readonly start: () => void }>();

  /** Resolves in the iteration in which the work may be done; undefined: in this one. */
  take(owner: string, bytes: number): Promise<void> | undefined {
    if (this.#waiting.size === 0 && (this.#bytes === 0 || this.#bytes + bytes <= MOST_BYTES)) {
      this.spend(bytes);
      return undefined;
    }
    return new Promise((start) => this.#waiting.push({ owner, item: { bytes, start } }));
  }

  /** Counts work that a message has turned out to need. */
  spend(bytes: number): void {
    this.#bytes += bytes;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#nextIteration);
  }

  readonly #nextIteration = (): void => {
    this.#bytes = 0;
    for (let next; this.#bytes < MOST_BYTES && (next = this.#waiting.take()) !== undefined;) {
      this.#bytes += next.bytes;
      next.start();
    }
    this.#isScheduled = this.#bytes > 0;
    if (this.#isScheduled) setImmediate(this.#nextIteration);
  };
}
