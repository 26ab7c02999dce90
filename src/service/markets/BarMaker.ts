import type { ExchangeBar } from '../../ticks/exchange/Exchange.ts';
import type { BarRange } from '../../ticks/TickWindow.ts';

/** A bar that has ended. */
export type MadeBar = { readonly endUs: number; readonly close: number; readonly range: BarRange };

/** Makes bars of ticks: one is known when the first tick after it comes. A period without a tick has none. */
export class BarMaker {
  readonly #periodUs: number;
  #open: { readonly endUs: number; open: number; high: number; low: number; close: number } | undefined;
  /** Bars that begin before are incomplete: nothing was seen of their beginning. Infinity: no tick has come. */
  #fromUs = Infinity;

  constructor(periodUs: number) {
    this.#periodUs = periodUs;
  }

  add(timeUs: number, price: number): MadeBar | undefined {
    if (this.#fromUs === Infinity) this.#fromUs = timeUs;
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

  /** What an exchange knows of the bar in the making. */
  complete({ startUs, open, high, low, close }: ExchangeBar): void {
    const endUs = startUs + this.#periodUs;
    const known = this.#open?.endUs === endUs ? this.#open : { high, low, close };
    this.#open = { endUs, open, high: Math.max(high, known.high), low: Math.min(low, known.low), close: known.close };
    this.#fromUs = Math.min(this.#fromUs, startUs);
  }

  /** Ticks are missing: the bar in the making, and the one of the next tick, are incomplete. */
  cut(): void {
    this.#open = undefined;
    this.#fromUs = Infinity;
  }
}
