import { TickError } from '../errors.ts';
import { formatTimestamps, priceOf, timeRule, timeUsOf, type Tick } from '../tickBody.ts';
import { MinuteCloses } from './MinuteCloses.ts';

/** Every price is below this. */
const PRICE_LIMIT = 1e12;

/** A tick further ahead of the clock is refused: no later one could follow it. A broker's clock may be hours ahead of UTC. */
const MOST_AHEAD_MS = 86_400_000;

/** The last ticks of a series, and which of them are not sent yet. */
export class TickBuffer {
  readonly type = 'ticks';
  readonly #most: number;
  #timesUs: number[] = [];
  #prices: number[] = [];
  /** NaN for ticks without. */
  #bids: number[] = [];
  #asks: number[] = [];
  /** Ticks that were sent of those in the arrays; negative: so many were dropped before they were sent. */
  #sent = 0;
  /** Of the ticks that are no longer kept. */
  readonly #closes = new MinuteCloses();

  /** `closes`: from before the first tick. @throws TickError for the first one that breaks a rule */
  constructor(most: number, closes: readonly Tick[] = []) {
    this.#most = most;
    const before = checked(closes, 0);
    closes.forEach((tick, at) => this.#closes.push(before[at]!, priceOf(tick)));
  }

  /** The one-minute closes before the first tick that is kept; undefined without any. */
  closes(): { Timestamp: string[]; Price: number[] } | undefined {
    return this.#closes.before(this.#timesUs[0] ?? Infinity);
  }

  /** All or nothing. @throws TickError for the first tick that breaks a rule */
  push(ticks: readonly Tick[]): void {
    const timesUs = checked(ticks, this.#timesUs.at(-1) ?? 0);
    for (const us of timesUs) this.#timesUs.push(us);
    for (const tick of ticks) {
      this.#prices.push(priceOf(tick));
      this.#bids.push('price' in tick ? NaN : tick.bid);
      this.#asks.push('price' in tick ? NaN : tick.ask);
    }
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

  /** All that is kept counts as not sent. @returns how many ticks were dropped before they were sent */
  rewind(): number {
    this.#trim();
    const dropped = Math.max(0, -this.#sent);
    this.#sent = 0;
    return dropped;
  }

  /** The next ticks of one kind to send, prices or quotes, which then count as sent. */
  take(most: number): { Timestamp: string[] } & ({ Price: number[] } | { Bid: number[]; Ask: number[] }) {
    const from = this.#sent;
    const isPrice = Number.isNaN(this.#bids[from]);
    let to = from;
    while (to < this.#timesUs.length && to < from + most && Number.isNaN(this.#bids[to]) === isPrice) to++;
    this.#sent = to;
    const Timestamp = formatTimestamps(this.#timesUs.slice(from, to));
    if (isPrice) return { Timestamp, Price: this.#prices.slice(from, to) };
    return { Timestamp, Bid: this.#bids.slice(from, to), Ask: this.#asks.slice(from, to) };
  }

  #trim(): void {
    const extra = this.#timesUs.length - this.#most;
    if (extra <= 0) return;
    for (let at = 0; at < extra; at++) this.#closes.push(this.#timesUs[at]!, this.#prices[at]!);
    this.#timesUs = this.#timesUs.slice(extra);
    this.#prices = this.#prices.slice(extra);
    this.#bids = this.#bids.slice(extra);
    this.#asks = this.#asks.slice(extra);
    this.#sent -= extra;
  }
}

/** Microseconds of ticks in order, none before `lastUs`. @throws TickError for the first tick that breaks a rule */
function checked(ticks: readonly Tick[], lastUs: number): number[] {
  const endUs = (Date.now() + MOST_AHEAD_MS) * 1000;
  return ticks.map((tick, index) => {
    const refuse = (field: TickError['field'], rule: string, value: unknown): never => {
      throw new TickError(index, field, rule, value);
    };
    const given: Partial<Record<TickError['field'], unknown>> = tick;
    const fields = 'price' in tick || !('bid' in tick) ? (['price'] as const) : (['bid', 'ask'] as const);
    for (const field of fields) {
      const value = given[field];
      if (typeof value !== 'number' || !(value > 0 && value < PRICE_LIMIT)) return refuse(field, 'must be above 0 and below 1e12', value);
    }
    const time = 'timeUs' in tick ? tick.timeUs : tick.timeMs;
    const us = timeOrNaN(tick);
    if (Number.isNaN(us)) return refuse('time', timeRule(tick), time);
    if (us > endUs) return refuse('time', `must not be more than a day ahead of this machine's clock`, formatTimestamps([us])[0]);
    if (us < lastUs)
      return refuse('time', `must not be before the tick before it (${formatTimestamps([lastUs])[0]})`, formatTimestamps([us])[0]);
    return (lastUs = us);
  });
}

function timeOrNaN(tick: Tick): number {
  try {
    return timeUsOf(tick);
  } catch {
    return NaN;
  }
}
