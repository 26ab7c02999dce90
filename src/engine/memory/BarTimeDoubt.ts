import type { BarTime } from '../../core/barTime.ts';
import { US_PER_MS } from '../../core/units.ts';
import { BarOpenings, looksText, readText } from '../../ticks/BarOpenings.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';

/** Earlier, most wrong readings are not found yet; and a series that is looked at again and again needs more than a file. */
const LEAST_MS = 5 * 86_400_000;

/** Whether the timestamps of the bars of a series are what they are read as. It looks from the first bar that was read so. */
export class BarTimeDoubt {
  readonly #periodMs: number;
  /** Null: nothing says how they are read, so nothing is doubted. */
  #read: { readonly barTime: BarTime; readonly openings: BarOpenings } | null = null;
  #sinceMs = NaN;
  #lastMs = NaN;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** The next bars are read so; if the last ones were read otherwise, it begins again. Returns whether it does. */
  readAs(barTime: BarTime): boolean {
    const isOther = barTime !== this.#read?.barTime;
    if (isOther) this.#begin(barTime);
    return isOther;
  }

  /** The past does not belong to the next bars. */
  restart(): void {
    if (this.#read !== null) this.#begin(this.#read.barTime);
  }

  cut(): void {
    this.#read?.openings.cut();
  }

  /** A bar after the last one, by its end. */
  push(endMs: number, close: number, range?: { readonly high: number; readonly low: number }): void {
    if (this.#read === null) return;
    if (Number.isNaN(this.#sinceMs)) this.#sinceMs = endMs;
    this.#lastMs = endMs;
    this.#read.openings.push(endMs * US_PER_MS, close, range?.high, range?.low);
  }

  /** Why they are doubted; undefined: they are not. */
  text(): string | undefined {
    if (this.#read === null || !(this.#lastMs - this.#sinceMs >= LEAST_MS)) return undefined;
    const { barTime, openings } = this.#read;
    const looks = openings.evidence();
    return looks === null || looks.barTime === barTime ? undefined : `${readText(barTime)} ${looksText(looks)}`;
  }

  save(out: ByteWriter): void {
    out.whole(this.#read === null ? 0 : this.#read.barTime === 'open' ? 1 : 2);
    if (this.#read === null) return;
    for (const value of [this.#sinceMs, this.#lastMs, ...this.#read.openings.save()]) out.double(value);
  }

  load(from: ByteReader): void {
    const read = from.whole();
    from.check(read <= 2, `what bars are read as is ${read}; it must be 0, 1 or 2`);
    if (read === 0) return;
    this.#begin(read === 1 ? 'open' : 'close');
    this.#sinceMs = from.time('first bar that is looked at');
    this.#lastMs = from.time('last bar that is looked at');
    from.check(
      Object.is(this.#sinceMs, this.#lastMs) || this.#sinceMs <= this.#lastMs,
      `bars are from ${this.#sinceMs} to ${this.#lastMs}`,
    );
    const openings = Array.from({ length: BarOpenings.SAVED }, () => from.double());
    from.check(this.#read!.openings.load(openings), `what was seen of the beginnings of bars cannot be: ${openings.join(', ')}`);
  }

  #begin(barTime: BarTime): void {
    this.#read = { barTime, openings: new BarOpenings(this.#periodMs * US_PER_MS, barTime) };
    this.#sinceMs = this.#lastMs = NaN;
  }
}
