/** Bytes of messages that are handled in one iteration of the event loop, about 3 ms; a larger message has an iteration of its own. */
const MOST_BYTES = 256 * 1024;
/** A started forecast costs as much as reading this many bytes. */
export const FORECAST_BYTES = 8192;

/**
 * Bounds the work that the messages of all live connections of a worker do in one iteration of the event loop; what exceeds it waits for
 * the next ones, in order of arrival.
 */
export class LiveTurns {
  #bytes = 0;
  #isScheduled = false;
  readonly #waiting: { readonly bytes: number; readonly start: () => void }[] = [];

  /** Waits for a turn for work that costs as much as a message of this length; undefined: the turn is now. */
  take(bytes: number): Promise<void> | undefined {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(this.#nextIteration);
    }
    if (this.#waiting.length === 0 && this.#fits(bytes)) {
      this.#bytes += bytes;
      return undefined;
    }
    return new Promise((start) => this.#waiting.push({ bytes, start }));
  }

  #fits(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= MOST_BYTES;
  }

  readonly #nextIteration = (): void => {
    this.#bytes = 0;
    while (this.#waiting.length > 0 && this.#fits(this.#waiting[0]!.bytes)) {
      const { bytes, start } = this.#waiting.shift()!;
      this.#bytes += bytes;
      start();
    }
    this.#isScheduled = this.#bytes > 0;
    if (this.#isScheduled) setImmediate(this.#nextIteration);
  };
}
