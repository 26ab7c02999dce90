import { ServiceError } from '../core/ServiceError.ts';

/**
 * Ticks in time order as sent or read; equal timestamps are kept.
 * `timesUs`: integer microseconds since 1970-01-01 UTC (exact as a double up to the year 2199). `prices`: finite, above 0.
 */
export type TickSeries = {
  readonly timesUs: Float64Array;
  readonly prices: Float64Array;
};

/** Every price lies strictly between 0 and this. */
export const PRICE_LIMIT = 1e12;

/** Ticks in each block except the last one. */
export const BLOCK_TICKS = 16_384;

/**
 * Receives the ticks of a file while it is read, called in time order with blocks of exactly `BLOCK_TICKS` ticks and a
 * shorter last one. The arrays are reused after the call, so copy what you keep. An exception stops reading.
 */
export type TickSink = {
  add(timesUs: Float64Array, prices: Float64Array): void;
};

/** 1.6 GB of ticks. */
const MAX_ROWS = 100_000_000;

/** Keeps the ticks of a file in memory. `add` throws ServiceError file.malformed beyond `MAX_ROWS` ticks. */
export class SeriesSink implements TickSink {
  readonly #path: string;
  readonly #timesUs: Float64Array[] = [];
  readonly #prices: Float64Array[] = [];
  #rows = 0;

  constructor(path: string) {
    this.#path = path;
  }

  add(timesUs: Float64Array, prices: Float64Array): void {
    this.#rows += timesUs.length;
    if (this.#rows > MAX_ROWS) throw new ServiceError('file.malformed', `${this.#path}: the file has more than ${MAX_ROWS} rows.`);
    this.#timesUs.push(timesUs.slice());
    this.#prices.push(prices.slice());
  }

  /** All ticks, once; the sink is empty afterwards. */
  takeSeries(): TickSeries {
    return { timesUs: joinBlocks(this.#timesUs), prices: joinBlocks(this.#prices) };
  }
}

/** Joins the blocks. Each block is released after it is copied, so peak memory is 1.5 times the numbers. */
export function joinBlocks(blocks: Float64Array[]): Float64Array {
  const all = new Float64Array(blocks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (let block = blocks.shift(); block !== undefined; block = blocks.shift()) {
    all.set(block, at);
    at += block.length;
  }
  return all;
}
