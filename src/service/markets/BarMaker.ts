import type { BarRange } from '../../ticks/TickWindow.ts';

/** A bar that has ended. */
export type MadeBar = { readonly endUs: number; readonly close: number; readonly range: BarRange };

/** Makes bars of ticks: one is known when the first tick after it comes. A period without a tick has none. */
export class BarMaker {
  readonly #periodUs: number;
  #open: { readonly endUs: number; open: number; high: number; low: number; close: number } | undefined;
  /** Bars up to here are known, or incomplete: nothing was seen of their beginning. */
  #fromUs: number;

  constructor(periodUs: number, fromUs: number) {
    this.#periodUs = periodUs;
    this.#fromUs = fromUs;
  }

  add(timeUs: number, price: number): MadeBar | undefined {
    const endUs = (Math.floor(timeUs / this.#periodUs) + 1) * this.#periodUs;
    const bar = this.#open;
    if (bar !== undefined && bar.endUs === endUs) {
      bar.high = Math.max(bar.high, price);
      bar.low = Math.min(bar.low, price);
      bar.close = price;
      return undefined;
    }
    this.#open = { endUs, open: price, high: price, low: price, close: price };
    if (bar === undefined || bar.endUs - this.#periodUs < this.#fromUs) return undefined;
    const { open, high, low, close } = bar;
    return { endUs: bar.endUs, close, range: { open, high, low } };
  }

  /** Ticks are missing: the bar in the making, and the one that follows, are incomplete. */
  cut(timeUs: number): void {
    this.#open = undefined;
    this.#fromUs = timeUs;
  }
}
