import { FAR_STEPS, FIRST_TICKS, MEAN_STEPS, STAMPS } from '../../../clients/typescript/src/live/RisingOrder.ts';
import { BLOCK_TICKS, PRICE_LIMIT } from '../TickSeries.ts';
import { midPrice } from '../midPrice.ts';
import { US_PER_HOUR } from '../timestamps.ts';
import { fileFault, type ImportKind, type ImportOptions, type ImportSink, type OrderPolicy } from './ImportReport.ts';
import type { QualityMonitor } from './QualityMonitor.ts';
import type { TableLayout } from './TableLayout.ts';

/** Rows that `order: 'sort'` holds: a row may be earlier than this many rows before it, and no more. */
export const SORT_WINDOW = 2 * BLOCK_TICKS;
/** A row that is late by more is no slip of a recorder. */
const MAX_SLIP_US = 5_000_000;

/** Where readers put their rows, one call a row. */
export type RowOutput = {
  /** `ask` equals `bid` where there is one price. `isSameRow`: every byte is that of the row before. `range`: open, high and low of a bar that has them. */
  /** `isIdle`: whether a bar has the volume 0, and its prices are all its close; undefined: its volume is not known. */
  add(timeUs: number, bid: number, ask: number, line: number, isSameRow: boolean, range?: readonly number[], isIdle?: boolean): void;
  /** Something about a row that is not a tick. */
  note(code: string, line: number): void;
  /** A row that cannot be read. Throws ServiceError file.malformed where such rows are not left out. */
  refuse(line: number, found: string, remedy: string): void;
  /** The plan does not fit from this row on. Throws ServiceError file.malformed always. */
  doubt(line: number, found: string, remedy: string): void;
};

export type StageOptions = Pick<ImportOptions, 'name' | 'order' | 'dropsRepeated' | 'dropsMalformed'> & { readonly word: 'line' | 'row' };

/** Checks rows, puts them in order where asked to, has them looked at, and gives them to a sink in blocks. */
export class TickStage implements RowOutput {
  readonly #sink: ImportSink;
  readonly #quality: QualityMonitor;
  readonly #options: StageOptions;
  readonly #kind: ImportKind;
  readonly #order: OrderPolicy;
  /** Rows have two prices, and the price of a tick is their mid. */
  readonly #hasSides: boolean;
  readonly #capacity: number;
  readonly #timesUs: Float64Array;
  readonly #bids: Float64Array;
  /** Unused where rows have one price. */
  readonly #asks: Float64Array;
  /** Open, high and low; empty without. */
  readonly #ranges: readonly Float64Array[];
  readonly #prices = new Float64Array(BLOCK_TICKS);
  #held = 0;
  #lastUs = -Infinity;
  #latestUs = -Infinity;
  #longestBackUs = 0;
  #lastLine = 0;
  #lastBid = NaN;
  #lastAsk = NaN;
  #emittedUs = -Infinity;
  #isSorted = true;
  /** The first row that could not be read and was left out. */
  malformed: { readonly where: string; readonly found: string } | undefined;
  rows = 0;
  ticks = 0;
  firstUs = Infinity;
  lastUs = -Infinity;
  firstPrice = NaN;
  lastPrice = NaN;

  constructor(
    sink: ImportSink,
    quality: QualityMonitor,
    { kind, askColumn, rangeColumns }: Pick<TableLayout, 'kind' | 'askColumn' | 'rangeColumns'>,
    options: StageOptions,
  ) {
    this.#sink = sink;
    this.#quality = quality;
    this.#options = options;
    this.#kind = kind;
    this.#order = options.order ?? 'refuse';
    this.#hasSides = askColumn >= 0;
    this.#capacity = this.#order === 'sort' ? 2 * SORT_WINDOW : BLOCK_TICKS;
    this.#timesUs = new Float64Array(this.#capacity);
    this.#bids = new Float64Array(this.#capacity);
    this.#asks = new Float64Array(this.#capacity);
    this.#ranges = rangeColumns.map(() => new Float64Array(this.#capacity));
  }

  note(code: string, line: number): void {
    this.rows++;
    this.#quality.count(code, line);
  }

  refuse(line: number, found: string, remedy: string): void {
    const { name, word, dropsMalformed } = this.#options;
    if (dropsMalformed !== true) throw fileFault(name, `${word} ${line}`, found, remedy);
    this.malformed ??= { where: `${word} ${line}`, found };
    this.note('row.malformed', line);
  }

  doubt(line: number, found: string, remedy: string): void {
    throw fileFault(this.#options.name, `${this.#options.word} ${line}`, found, remedy);
  }

  add(timeUs: number, bid: number, ask: number, line: number, isSameRow: boolean, range?: readonly number[], isIdle?: boolean): void {
    this.rows++;
    if (!(bid > 0 && ask > 0 && bid < PRICE_LIMIT && ask < PRICE_LIMIT))
      return this.#refusePrice(bid > 0 && ask > 0 ? Math.max(bid, ask) : Math.min(bid, ask), line);
    this.#quality.lastLine = line;
    if (isIdle !== undefined) {
      if (isIdle && bid === this.#lastBid && ask === this.#lastAsk) {
        // As if it were missing.
        this.rows--;
        return this.#quality.count('row.filled', line);
      }
      this.#lastBid = bid;
      this.#lastAsk = ask;
    }
    this.#quality.row(line, isSameRow);
    if (isSameRow && this.#options.dropsRepeated === true) return;
    if (bid > ask) this.#quality.count('quote.crossed', line);
    if (timeUs < this.#lastUs && !this.#dropAhead(timeUs)) this.#stepBack(timeUs, line);
    // What is held is in order while no row is earlier than the latest of all.
    if (this.#order !== 'sort' || timeUs > this.#lastUs) this.#lastUs = timeUs;
    if (timeUs > this.#latestUs) this.#latestUs = timeUs;
    this.#lastLine = line;
    const at = this.#held++;
    this.#timesUs[at] = timeUs;
    this.#bids[at] = bid;
    if (this.#hasSides) this.#asks[at] = ask;
    range?.forEach((value, i) => (this.#ranges[i][at] = value));
    if (this.#held === this.#capacity) this.#flush(false);
  }

  end(): void {
    this.#flush(true);
  }

  #refusePrice(price: number, line: number): void {
    if (price >= PRICE_LIMIT) {
      // The row is counted again by `note`.
      this.rows--;
      return this.refuse(line, `the price ${price} is not below ${PRICE_LIMIT}`, 'Check that this column is the price.');
    }
    this.#quality.lastRefusedLine = line;
    this.#quality.count('price.not_positive', line);
  }

  /**
   * Leaves out the rows before, as RisingOrder does, if fewer than three stamps are far ahead of the row before them, and this one goes on there.
   * False: the row is late.
   */
  #dropAhead(timeUs: number): boolean {
    const times = this.#timesUs;
    let from = this.#held;
    for (let stamps = 0; from > 0 && times[from - 1] > timeUs; from--)
      if ((from === this.#held || times[from - 1] !== times[from]) && ++stamps === STAMPS) return false;
    const steps = Math.min(MEAN_STEPS, from - 1);
    if (steps < FIRST_TICKS || from === this.#held) return false;
    const beforeUs = times[from - 1];
    const farUs = Math.max(MAX_SLIP_US, (FAR_STEPS * (beforeUs - times[from - 1 - steps])) / steps);
    if (times[from] - beforeUs <= farUs || times[from] - timeUs <= MAX_SLIP_US || timeUs - beforeUs > farUs) return false;
    for (let at = from; at < this.#held; at++) this.#quality.count('stamp.ahead', this.#lastLine);
    this.#held = from;
    this.#lastUs = this.#latestUs = times.subarray(Math.max(0, from - MEAN_STEPS), from).reduce((a, b) => Math.max(a, b));
    return timeUs >= this.#lastUs;
  }

  #stepBack(timeUs: number, line: number): void {
    this.#quality.stepBack(this.#lastUs - timeUs, line);
    this.#isSorted = false;
    const [{ name, word }, order] = [this.#options, this.#order];
    this.#longestBackUs = Math.max(this.#longestBackUs, this.#latestUs - timeUs);
    if (order === 'keep' || (order === 'sort' && this.#longestBackUs <= MAX_SLIP_US)) return;
    throw fileFault(
      name,
      `${word} ${line}`,
      `the stamp is ${(this.#lastUs - timeUs) / 1e6} s earlier than that of ${word} ${this.#lastLine}`,
      this.lateAdvice,
    );
  }

  /** What to do about rows that are as late as the latest so far. */
  get lateAdvice(): string {
    const lateUs = this.#longestBackUs;
    if (lateUs <= MAX_SLIP_US) return 'Put the rows in order: tickmark doctor FILE --fix writes a sorted copy.';
    if (lateUs > 0.9 * US_PER_HOUR && lateUs <= 1.01 * US_PER_HOUR)
      return 'If the stamps are local time, an hour is there twice when summer time ends: name the place, such as --zone America/New_York.';
    return `Rows that are late by more than ${MAX_SLIP_US / 1e6} s are not put in order unasked: they may be of another day or market. Export each on its own, or sort the file yourself.`;
  }

  /** Gives what is held to the sink: all of it at the end, else the earlier half of a sorting window. */
  #flush(isLast: boolean): void {
    const isSorting = this.#order === 'sort';
    if (isSorting && !this.#isSorted) this.#sort();
    const given = isSorting && !isLast ? SORT_WINDOW : this.#held;
    if (given > 0 && isSorting && this.#timesUs[0] < this.#emittedUs)
      throw fileFault(this.#options.name, '', `rows are out of order by more than ${SORT_WINDOW} rows`, 'Sort the file by time first.');
    for (let from = 0; from < given; from += BLOCK_TICKS) this.#give(from, Math.min(given, from + BLOCK_TICKS));
    for (const column of this.#columns) column.copyWithin(0, given, this.#held);
    this.#held -= given;
  }

  #give(from: number, to: number): void {
    const timesUs = this.#timesUs.subarray(from, to);
    const bids = this.#bids.subarray(from, to);
    const asks = this.#asks.subarray(from, to);
    let prices = bids;
    if (this.#hasSides) {
      prices = this.#prices.subarray(0, to - from);
      for (let i = 0; i < prices.length; i++) prices[i] = midPrice(bids[i], asks[i]);
    }
    this.#emittedUs = timesUs.at(-1)!;
    if (this.ticks === 0) this.firstPrice = prices[0];
    this.lastPrice = prices.at(-1)!;
    this.firstUs = Math.min(this.firstUs, timesUs[0]);
    this.lastUs = Math.max(this.lastUs, this.#emittedUs);
    this.#quality.add(timesUs, prices);
    this.ticks += timesUs.length;
    if (this.#kind === 'quotes') this.#sink.addQuotes?.(timesUs, bids, asks);
    if (this.#kind === 'bars') {
      const [open, high, low] = this.#ranges.map((range) => range.subarray(from, to));
      this.#sink.addBars?.(timesUs, prices, open && { open, high: high!, low: low! });
    }
    this.#sink.add(timesUs, prices);
  }

  get #columns(): readonly Float64Array[] {
    return [this.#timesUs, this.#bids, this.#asks, ...this.#ranges];
  }

  #sort(): void {
    const order = Array.from({ length: this.#held }, (_, i) => i).sort((a, b) => this.#timesUs[a] - this.#timesUs[b] || a - b);
    for (const column of this.#columns) column.set(order.map((at) => column[at]));
    this.#isSorted = true;
  }
}
