import type { BarWindow } from '../../ticks/BarWindow.ts';
import type { ImportSink } from '../../ticks/import/ImportReport.ts';
import { FIRST_TICKS, SpikeWatch } from '../../ticks/import/SpikeWatch.ts';

/** Which ticks are dropped. */
export type Drops = { readonly crossed: boolean; readonly spikes: boolean };

type Tick = {
  readonly timeUs: number;
  readonly price: number;
  readonly bid: number;
  readonly ask: number;
  /** Open, high and low of a bar; empty for a bar with its close only. */
  readonly range: readonly number[] | undefined;
};

/**
 * Passes ticks in time order on to another sink, without crossed quotes (bid above ask) and without spikes (prices that jump away and come back).
 * A tick after a spike is checked as if the spike had not been there, so the output has no spikes by the same detector.
 * `end` once, after the last block; blocks of any length come out.
 */
export class CleanSink implements ImportSink {
  readonly #to: ImportSink;
  readonly #drops: Drops;
  readonly #watch = new SpikeWatch();
  /** Ticks away from the price before them: a spike, or a move that stays. */
  #held: Tick[] = [];
  /** The first ticks, until the usual move is known. */
  #first: Tick[] = [];
  #quotes: { readonly bids: Float64Array; readonly asks: Float64Array } | undefined;
  #bars: { readonly ranges: BarWindow['ranges'] } | undefined;
  /** Ticks left out so far. */
  crossed = 0;

  constructor(to: ImportSink, drops: Drops) {
    this.#to = to;
    this.#drops = drops;
  }

  /** Ticks left out so far. */
  get spikes(): number {
    return this.#watch.ticks;
  }

  addQuotes(_timesUs: Float64Array, bids: Float64Array, asks: Float64Array): void {
    this.#quotes = { bids, asks };
  }

  addBars(_endsUs: Float64Array, _closes: Float64Array, ranges: BarWindow['ranges']): void {
    this.#bars = { ranges };
  }

  add(timesUs: Float64Array, prices: Float64Array): void {
    const [quotes, bars] = [this.#quotes, this.#bars];
    const kept: Tick[] = [];
    for (let i = 0; i < timesUs.length; i++) {
      const [price, bid, ask] = [prices[i], quotes?.bids[i] ?? NaN, quotes?.asks[i] ?? NaN];
      if (this.#drops.crossed && bid > ask) this.crossed++;
      else this.#take({ timeUs: timesUs[i], price, bid, ask, range: bars && rangeAt(bars.ranges, i) }, kept);
    }
    this.#give(kept);
    this.#quotes = undefined;
    this.#bars = undefined;
  }

  end(): void {
    const kept: Tick[] = [];
    this.#begin(kept);
    this.#give([...kept, ...this.#held.splice(0)]);
  }

  #begin(kept: Tick[]): void {
    const first = this.#first.splice(0);
    if (!this.#watch.isReady) this.#watch.prepare(first.map(({ price }) => price));
    for (const tick of first) this.#look(tick, kept);
  }

  #take(tick: Tick, kept: Tick[]): void {
    if (!this.#drops.spikes) return void kept.push(tick);
    if (this.#watch.isReady) return this.#look(tick, kept);
    this.#first.push(tick);
    if (this.#first.length === FIRST_TICKS) this.#begin(kept);
  }

  #look(tick: Tick, kept: Tick[]): void {
    if (this.#watch.add(tick.timeUs, tick.price)) {
      this.#held = [];
      this.#watch.forgetSpike();
      this.#watch.add(tick.timeUs, tick.price);
    }
    if (this.#watch.isAway) this.#held.push(tick);
    else kept.push(...this.#held.splice(0), tick);
  }

  #give(ticks: readonly Tick[]): void {
    if (ticks.length === 0) return;
    const timesUs = Float64Array.from(ticks, ({ timeUs }) => timeUs);
    const column = (of: (tick: Tick) => number): Float64Array => Float64Array.from(ticks, of);
    if (!Number.isNaN(ticks[0].bid))
      this.#to.addQuotes?.(
        timesUs,
        column(({ bid }) => bid),
        column(({ ask }) => ask),
      );
    const closes = column(({ price }) => price);
    if (ticks[0].range !== undefined)
      this.#to.addBars?.(
        timesUs,
        closes,
        ticks[0].range.length === 0
          ? undefined
          : { open: column(({ range }) => range![0]), high: column(({ range }) => range![1]), low: column(({ range }) => range![2]) },
      );
    this.#to.add(timesUs, closes);
  }
}

const rangeAt = (ranges: BarWindow['ranges'], i: number): readonly number[] =>
  ranges === undefined ? [] : [ranges.open[i], ranges.high[i], ranges.low[i]];
