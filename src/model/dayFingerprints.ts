import { createHash, type Hash } from 'node:crypto';
import { US_PER_SECOND } from '../core/units.ts';

/** Ticks in time order: microseconds since 1970-01-01 UTC, and prices. Compatible with TickSeries. */
export type DayTicks = { readonly timesUs: Float64Array; readonly prices: Float64Array };

export type DayFingerprint = {
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  /** SHA-256, hex, of the hex SHA-256 of the day's times followed by that of its prices (doubles, little endian). */
  readonly sha256: string;
  readonly rows: number;
  /** First and last tick of the day. */
  readonly fromUs: number;
  readonly toUs: number;
};

type OpenDay = { readonly index: number; readonly times: Hash; readonly prices: Hash; rows: number; fromUs: number; toUs: number };

const US_PER_DAY = 86_400 * US_PER_SECOND;
const MS_PER_DAY = 86_400_000;

/** Computes the daily fingerprints of a series that arrives in blocks; they do not depend on the block boundaries. */
export class DayFingerprinter {
  readonly #done: DayFingerprint[] = [];
  #open: OpenDay | null = null;

  /** Adds the ticks `from` .. `to` (exclusive), none of them on an earlier day than the ticks so far. */
  add(ticks: DayTicks, from = 0, to = ticks.timesUs.length): void {
    for (let start = from; start < to;) {
      const index = Math.floor((ticks.timesUs[start] ?? NaN) / US_PER_DAY);
      const end = firstAtOrAfter(ticks.timesUs, (index + 1) * US_PER_DAY, start, to);
      const day = this.#dayOf(index, ticks.timesUs[start] ?? NaN);
      day.times.update(bytesOf(ticks.timesUs, start, end));
      day.prices.update(bytesOf(ticks.prices, start, end));
      day.rows += end - start;
      day.toUs = ticks.timesUs[end - 1] ?? NaN;
      start = end;
    }
  }

  /** Every day with a tick, in time order. */
  end(): DayFingerprint[] {
    this.#close();
    return [...this.#done];
  }

  #dayOf(index: number, fromUs: number): OpenDay {
    if (this.#open?.index === index) return this.#open;
    if (this.#open !== null && !(index > this.#open.index)) throw new Error('ticks of an earlier day');
    this.#close();
    return (this.#open = { index, times: createHash('sha256'), prices: createHash('sha256'), rows: 0, fromUs, toUs: fromUs });
  }

  #close(): void {
    if (this.#open === null) return;
    const { index, times, prices, rows, fromUs, toUs } = this.#open;
    const sha256 = createHash('sha256')
      .update(times.digest('hex') + prices.digest('hex'))
      .digest('hex');
    this.#done.push({ day: new Date(index * MS_PER_DAY).toISOString().slice(0, 10), sha256, rows, fromUs, toUs });
    this.#open = null;
  }
}

/** Fingerprint of every UTC day of a series. Equal ticks of a day give equal fingerprints in any file. */
export function dayFingerprints(series: DayTicks): DayFingerprint[] {
  const hasher = new DayFingerprinter();
  hasher.add(series);
  return hasher.end();
}

/** First position in `from` .. `to` whose time is `us` or later, else `to`. */
function firstAtOrAfter(timesUs: Float64Array, us: number, from: number, to: number): number {
  let [low, high] = [from + 1, to];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((timesUs[middle] ?? NaN) >= us) high = middle;
    else low = middle + 1;
  }
  return low;
}

function bytesOf(values: Float64Array, from: number, to: number): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset + 8 * from, 8 * (to - from));
}
