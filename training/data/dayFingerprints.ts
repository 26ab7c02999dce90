import { createHash, type Hash } from 'node:crypto';
import { US_PER_SECOND } from '../../src/core/units.ts';
import { firstAtOrAfter } from '../../src/ticks/searchTimes.ts';

/** Ticks in time order: microseconds since 1970-01-01 UTC, and prices. Compatible with TickSeries. */
export type DayTicks = { readonly timesUs: Float64Array; readonly prices: Float64Array };

export type DayFingerprint = {
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  /** SHA-256, hex, of the hex SHA-256 of the day's times followed by that of its prices (doubles, little endian). */
  readonly sha256: string;
  /** As `sha256`, with times from the first tick of the day on: equal for a copy with other dates. Null: all prices are equal. */
  readonly undatedSha256: string | null;
  readonly rows: number;
  /** First and last tick of the day. */
  readonly fromUs: number;
  readonly toUs: number;
};

type OpenDay = {
  readonly index: number;
  readonly times: Hash;
  readonly steps: Hash;
  readonly prices: Hash;
  readonly firstPrice: number;
  isConstant: boolean;
  rows: number;
  readonly fromUs: number;
  toUs: number;
};

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
      const day = this.#dayOf(index, ticks.timesUs[start] ?? NaN, ticks.prices[start] ?? NaN);
      day.times.update(bytesOf(ticks.timesUs, start, end));
      day.steps.update(bytesOf(ticks.timesUs.subarray(start, end).map((us) => us - day.fromUs)));
      day.prices.update(bytesOf(ticks.prices, start, end));
      day.isConstant &&= ticks.prices.subarray(start, end).every((price) => price === day.firstPrice);
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

  #dayOf(index: number, fromUs: number, firstPrice: number): OpenDay {
    if (this.#open?.index === index) return this.#open;
    if (this.#open !== null && !(index > this.#open.index)) throw new Error('ticks of an earlier day');
    this.#close();
    const [times, steps, prices] = [createHash('sha256'), createHash('sha256'), createHash('sha256')];
    return (this.#open = { index, times, steps, prices, firstPrice, isConstant: true, rows: 0, fromUs, toUs: fromUs });
  }

  #close(): void {
    if (this.#open === null) return;
    const { index, times, steps, prices, isConstant, rows, fromUs, toUs } = this.#open;
    const priceHash = prices.digest('hex');
    const hashOf = (timeHash: string): string =>
      createHash('sha256')
        .update(timeHash + priceHash)
        .digest('hex');
    const undatedSha256 = isConstant ? null : hashOf(steps.digest('hex'));
    const day = new Date(index * MS_PER_DAY).toISOString().slice(0, 10);
    this.#done.push({ day, sha256: hashOf(times.digest('hex')), undatedSha256, rows, fromUs, toUs });
    this.#open = null;
  }
}

/** Fingerprint of every UTC day of a series. Equal ticks of a day give equal fingerprints in any file. */
export function dayFingerprints(series: DayTicks): DayFingerprint[] {
  const hasher = new DayFingerprinter();
  hasher.add(series);
  return hasher.end();
}

function bytesOf(values: Float64Array, from = 0, to = values.length): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset + 8 * from, 8 * (to - from));
}
