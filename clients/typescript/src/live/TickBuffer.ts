import { TickError } from '../errors.ts';
import { formatTimestamps, timeUsOf, type Tick } from '../tickBody.ts';

/** Every price is below this. */
const PRICE_LIMIT = 1e12;

/** The last ticks of a series, and which of them are not sent yet. */
export class TickBuffer {
  readonly #most: number;
  #timesUs: number[] = [];
  #prices: number[] = [];
  /** Ticks that were sent of those in the arrays; negative: so many were dropped before they were sent. */
  #sent = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** All or nothing. @throws TickError for the first tick that breaks a rule */
  push(ticks: readonly Tick[]): void {
    let lastUs = this.#timesUs.at(-1) ?? 0;
    const timesUs = ticks.map((tick, index) => {
      const refuse = (field: 'time' | 'price', rule: string, value: unknown): never => {
        throw new TickError(index, field, rule, value);
      };
      const { price } = tick;
      if (typeof price !== 'number' || !(price > 0 && price < PRICE_LIMIT)) return refuse('price', 'must be above 0 and below 1e12', price);
      const given = 'timeUs' in tick ? tick.timeUs : tick.timeMs;
      const us = timeOrNaN(tick);
      if (Number.isNaN(us)) return refuse('time', 'must be milliseconds, or integer microseconds, since 1970', given);
      if (us < lastUs)
        return refuse('time', `must not be before the tick before it (${formatTimestamps([lastUs])[0]})`, formatTimestamps([us])[0]);
      return (lastUs = us);
    });
    for (const us of timesUs) this.#timesUs.push(us);
    for (const { price } of ticks) this.#prices.push(price);
    // Not at every tick: moving thousands of numbers takes longer than adding one.
    if (this.#timesUs.length > 2 * this.#most) this.#trim();
  }

  /** Ticks that are not sent. */
  get unsent(): number {
    return this.#timesUs.length - Math.max(0, this.#sent);
  }

  /** Whether ticks after the last one that was sent were dropped. */
  get hasGap(): boolean {
    return this.#sent < 0;
  }

  /** All that is kept counts as not sent. */
  rewind(): void {
    this.#trim();
    this.#sent = 0;
  }

  /** The next ticks to send, which then count as sent. */
  take(most: number): { Timestamp: string[]; Price: number[] } {
    const to = Math.min(this.#timesUs.length, this.#sent + most);
    const body = { Timestamp: formatTimestamps(this.#timesUs.slice(this.#sent, to)), Price: this.#prices.slice(this.#sent, to) };
    this.#sent = to;
    return body;
  }

  #trim(): void {
    const extra = this.#timesUs.length - this.#most;
    if (extra <= 0) return;
    this.#timesUs = this.#timesUs.slice(extra);
    this.#prices = this.#prices.slice(extra);
    this.#sent -= extra;
  }
}

function timeOrNaN(tick: Tick): number {
  try {
    return timeUsOf(tick);
  } catch {
    return NaN;
  }
}
