import type { BarWindow } from '../../ticks/BarWindow.ts';
import type { TickSeries } from '../ticks/TickSeries.ts';

type Columns = readonly Float64Array[];

/** Keeps the last `capacity` ticks of a stream, in blocks as they came: the oldest are dropped as a whole. */
export class TickRing {
  readonly #capacity: number;
  /** Times and prices; of quotes, also bids and asks; of bars with a range, their opens, highs and lows. */
  readonly #blocks: Columns[] = [];
  /** Bids and asks, or opens, highs and lows of the next block. */
  #others: Columns = [];
  #bars: Omit<BarWindow, 'ranges'> | undefined;
  /** Ticks in the blocks. */
  #kept = 0;
  /** The number of ticks added so far. */
  count = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The quotes of the block that is added next; before the first one, or never. */
  addQuotes(_timesUs: Float64Array, bids: Float64Array, asks: Float64Array): void {
    this.#others = [bids, asks];
  }

  /** The ranges of the block that is added next. */
  addBars(_endsUs: Float64Array, _closes: Float64Array, ranges: BarWindow['ranges']): void {
    if (ranges !== undefined) this.#others = [ranges.open, ranges.high, ranges.low];
  }

  /** What was added are bars. */
  setBars(bars: Omit<BarWindow, 'ranges'>): void {
    this.#bars = bars;
  }

  /** Copies a block. */
  add(timesUs: Float64Array, prices: Float64Array): void {
    this.#blocks.push([timesUs, prices, ...this.#others].map((values) => values.slice()));
    this.#kept += timesUs.length;
    this.count += timesUs.length;
    while (this.#kept - this.#blocks[0][0].length >= this.#capacity) this.#kept -= this.#blocks.shift()![0].length;
  }

  /** Copies of the kept ticks, oldest first. */
  toSeries(): TickSeries {
    const ticks = { timesUs: this.#joined(0), prices: this.#joined(1) };
    const [first, second, third] = this.#others.map((_, at) => this.#joined(2 + at));
    const bars = this.#bars;
    if (bars !== undefined)
      return { ...ticks, bars: third === undefined ? bars : { ...bars, ranges: { open: first, high: second, low: third } } };
    return first === undefined ? ticks : { ...ticks, quotes: { bids: first, asks: second } };
  }

  #joined(column: number): Float64Array {
    const joined = new Float64Array(this.#kept);
    let at = 0;
    for (const block of this.#blocks) {
      joined.set(block[column], at);
      at += block[column].length;
    }
    return this.#kept > this.#capacity ? joined.slice(this.#kept - this.#capacity) : joined;
  }
}
