import type { BarWindow } from '../../ticks/BarWindow.ts';
import type { TickSeries } from '../ticks/TickSeries.ts';

type Column = Float64Array<ArrayBuffer>;

const FIRST_LENGTH = 16_384;

/** Keeps the last `capacity` ticks of a stream in bounded memory; it grows by doubling up to there. */
export class TickRing {
  readonly #capacity: number;
  /** Times and prices; of quotes, also bids and asks; of bars with a range, their opens, highs and lows. */
  #columns: Column[];
  /** Bids and asks, or opens, highs and lows of the next block. */
  #others: readonly Float64Array[] = [];
  #bars: Omit<BarWindow, 'ranges'> | undefined;
  #count = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    const first = Math.min(capacity, FIRST_LENGTH);
    this.#columns = [new Float64Array(first), new Float64Array(first)];
  }

  /** The number of ticks added so far. */
  get count(): number {
    return this.#count;
  }

  /** The quotes of the block that is added next; before the first one, or never. */
  addQuotes(_timesUs: Float64Array, bids: Float64Array, asks: Float64Array): void {
    this.#next([bids, asks]);
  }

  /** The ranges of the block that is added next. */
  addBars(_endsUs: Float64Array, _closes: Float64Array, ranges: BarWindow['ranges']): void {
    if (ranges !== undefined) this.#next([ranges.open, ranges.high, ranges.low]);
  }

  /** What was added are bars. */
  setBars(bars: Omit<BarWindow, 'ranges'>): void {
    this.#bars = bars;
  }

  #next(others: readonly Float64Array[]): void {
    this.#others = others;
    while (this.#columns.length < 2 + others.length) this.#columns.push(new Float64Array(this.#length));
  }

  /** Copies a block of at most `capacity` ticks. */
  add(timesUs: Float64Array, prices: Float64Array): void {
    while (this.#count + timesUs.length > this.#length && this.#length < this.#capacity) this.#grow();
    const at = this.#count % this.#length;
    const fits = Math.min(timesUs.length, this.#length - at);
    for (const [i, values] of [timesUs, prices, ...this.#others].entries()) {
      this.#columns[i].set(values.subarray(0, fits), at);
      this.#columns[i].set(values.subarray(fits));
    }
    this.#count += timesUs.length;
  }

  /** Copies of the kept ticks, oldest first. */
  toSeries(): TickSeries {
    const [timesUs, prices, ...others] = this.#columns.map((column) => this.#inOrder(column));
    const ticks = { timesUs: timesUs!, prices: prices! };
    const [first, second, third] = others as (Column | undefined)[];
    const bars = this.#bars;
    if (bars !== undefined && third === undefined) return { ...ticks, bars };
    if (bars !== undefined) return { ...ticks, bars: { ...bars, ranges: { open: first!, high: second!, low: third! } } };
    return first === undefined || second === undefined ? ticks : { ...ticks, quotes: { bids: first, asks: second } };
  }

  get #length(): number {
    return this.#columns[0].length;
  }

  #inOrder(ring: Column): Column {
    if (this.#count <= ring.length) return ring.slice(0, this.#count);
    const oldest = this.#count % ring.length;
    const ordered = new Float64Array(ring.length);
    ordered.set(ring.subarray(oldest));
    ordered.set(ring.subarray(0, oldest), ring.length - oldest);
    return ordered;
  }

  /** Only before the first tick is overwritten: the order stays as it is. */
  #grow(): void {
    const length = Math.min(this.#capacity, this.#length * 2);
    this.#columns = this.#columns.map((old) => {
      const larger = new Float64Array(length);
      larger.set(old);
      return larger;
    });
  }
}
