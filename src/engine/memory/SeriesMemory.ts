import type { TickSeries } from '../../ticks/TickSeries.ts';
import { ENTRY_DELAY_MS, firstAtOrAfterMs } from '../features/labelOrigin.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { HorizonMemory } from './HorizonMemory.ts';
import { MINUTE_MS, RecentMinutes } from './RecentMinutes.ts';

/** Horizons whose moves are kept, seconds. A request uses the nearest one by ratio. */
export const MEMORY_HORIZONS_S = [5, 10, 30, 60, 120, 300, 900, 1800] as const;
/** A longer time without a tick is a pause of the market. */
const PAUSE_MS = 30 * MINUTE_MS;
const FORMAT_VERSION = 1;
/** A full memory takes less: a test fills one. */
export const MAX_MEMORY_BYTES = 24_576;

/** A forecast of the series, made at its last tick. */
export type RememberedForecast = {
  readonly horizonMs: number;
  /** Log price. */
  readonly theta: number;
  /** Probability of the base, without memory. */
  readonly probability: number;
  /** Number that differs from version to version. */
  readonly version: number;
  /** The uncentred inputs `hour` and `day`; NaN if they are undefined. */
  readonly hour: number;
  readonly day: number;
};

/**
 * What is kept of one series: sizes of moves by horizon, squared one-minute moves of a day, the profile of the clock, and means of outcomes;
 * no ticks, and no prices but the last ones. The state is the same however the ticks are divided among calls.
 */
export class SeriesMemory {
  readonly minutes = new RecentMinutes();
  readonly #horizons = MEMORY_HORIZONS_S.map((seconds) => new HorizonMemory(seconds * 1000));
  /** Those that learn from one-minute closes. */
  readonly #long = this.#horizons.filter(({ horizonMs }) => horizonMs % MINUTE_MS === 0);
  #sinceMs = NaN;
  /** The last price, which another tick of the same millisecond may still replace; NaN before the first tick and after a cut. */
  #lastMs = NaN;
  #lastPrice = NaN;
  /** It is a one-minute close, and `#lastMs` is the end of its minute. */
  #isClose = false;
  #version = 0;

  /** Time of the first tick; NaN before it. */
  get sinceMs(): number {
    return this.#sinceMs;
  }

  get lastMs(): number {
    return this.#lastMs;
  }

  get lastPrice(): number {
    return this.#lastPrice;
  }

  /** Version whose probabilities are remembered. */
  get version(): number {
    return this.#version;
  }

  horizonOf(horizonMs: number): HorizonMemory {
    const distance = ({ horizonMs: kept }: HorizonMemory): number => Math.abs(Math.log(kept / horizonMs));
    return this.#horizons.reduce((nearest, one) => (distance(one) < distance(nearest) ? one : nearest));
  }

  /** The next ticks [from, to) of the series: none is missing after the last one. Ticks before the last one are ignored. */
  add({ timesUs, prices }: TickSeries, from = 0, to = timesUs.length): void {
    for (let i = from; i < to; i++) {
      const ms = Math.floor(timesUs[i]! / 1000);
      if (!(ms < this.#lastMs)) this.#accept(ms, ms, prices[i]!);
    }
  }

  /** The ticks of a request. If they begin after the last tick, others may be missing between them: nothing is learned across this gap. */
  join(window: TickSeries): void {
    const firstMs = Math.floor(window.timesUs[0]! / 1000);
    if (firstMs > this.#lastMs && !this.#isClose) this.#cut();
    this.add(window, Number.isNaN(this.#lastMs) ? 0 : firstAtOrAfterMs(window.timesUs, this.#lastMs));
  }

  /**
   * One-minute closes of whole minutes before a tick, ascending; those of minutes that are known already are ignored. A close is the last
   * price of its minute and the first one after it, so that moves go from close to close. Horizons below a minute learn nothing.
   */
  addCloses({ timesUs, prices }: TickSeries, beforeUs: number): void {
    const minuteOf = (us: number): number => Math.floor(us / 1000 / MINUTE_MS);
    for (let i = 0; i < timesUs.length; i++) {
      const minute = minuteOf(timesUs[i]!);
      const isLast = i + 1 === timesUs.length || minuteOf(timesUs[i + 1]!) > minute;
      if (!isLast || minute >= minuteOf(beforeUs) || minute * MINUTE_MS < this.#lastMs) continue;
      if (!this.#isClose) this.#cut();
      this.#accept((minute + 1) * MINUTE_MS, minute * MINUTE_MS, prices[i]!);
      this.minutes.add(minute * MINUTE_MS, prices[i]!);
      this.#isClose = true;
    }
  }

  /** Remembers a forecast at the last tick, to compare it with its outcome. */
  forecast({ horizonMs, version, ...made }: RememberedForecast): void {
    if (version !== this.#version) for (const horizon of this.#horizons) horizon.forgetProbabilities();
    this.#version = version;
    this.horizonOf(horizonMs).forecast({ ...made, fromMs: this.#lastMs, endMs: this.#lastMs + horizonMs }, this.#lastPrice);
  }

  save(): Uint8Array {
    const out = new ByteWriter(MAX_MEMORY_BYTES);
    out.whole(FORMAT_VERSION);
    for (const value of [this.#sinceMs, this.#lastMs, this.#lastPrice, this.#version]) out.double(value);
    out.whole(this.#isClose ? 1 : 0);
    this.minutes.save(out);
    for (const horizon of this.#horizons) horizon.save(out);
    return out.take();
  }

  /** Throws RangeError for bytes that `save` of this format did not write. */
  static load(bytes: Uint8Array): SeriesMemory {
    const from = new ByteReader(bytes);
    const format = from.whole();
    if (format !== FORMAT_VERSION) throw new RangeError(`The series memory has format ${format}; format ${FORMAT_VERSION} is expected.`);
    const memory = new SeriesMemory();
    memory.#sinceMs = from.double();
    memory.#lastMs = from.double();
    memory.#lastPrice = from.double();
    memory.#version = from.double();
    memory.#isClose = from.whole() === 1;
    memory.minutes.load(from);
    for (const horizon of memory.#horizons) horizon.load(from);
    from.end();
    return memory;
  }

  /** A price at `ms`; its minute is that of `minuteMs`. */
  #accept(ms: number, minuteMs: number, price: number): void {
    if (ms > this.#lastMs) this.#settle(ms, minuteMs);
    if (Number.isNaN(this.#sinceMs)) this.#sinceMs = ms;
    this.#lastMs = ms;
    this.#lastPrice = price;
    this.#isClose = false;
  }

  /** The last price is final, and what ends before `ms` is over. */
  #settle(ms: number, minuteMs: number): void {
    const lastMs = this.#lastMs;
    const isPause = ms - lastMs > PAUSE_MS;
    this.#finish(isPause ? lastMs + 1 : ms);
    if (isPause) {
      for (const horizon of this.#horizons) horizon.cut(lastMs);
      return this.minutes.pause();
    }
    for (const horizon of this.#horizons) horizon.advance(ms, lastMs);
    this.minutes.advance(minuteMs);
  }

  /** Takes the last price as final. After a close, each minute until `untilMs` begins with it. */
  #finish(untilMs: number): void {
    const [lastMs, lastPrice] = [this.#lastMs, this.#lastPrice];
    if (!this.#isClose) {
      for (const horizon of this.#horizons) horizon.add(lastMs, lastPrice);
      return this.minutes.add(lastMs, lastPrice);
    }
    for (let atMs = lastMs; atMs < untilMs; atMs += MINUTE_MS)
      for (const horizon of this.#long) {
        horizon.add(atMs, lastPrice);
        horizon.advance(atMs + 1, lastMs);
        horizon.add(atMs + ENTRY_DELAY_MS, lastPrice);
      }
  }

  /** Ticks are missing after the last price. */
  #cut(): void {
    if (Number.isNaN(this.#lastMs)) return;
    this.#finish(this.#lastMs + 1);
    for (const horizon of this.#horizons) horizon.cut(this.#lastMs);
    this.minutes.cut();
    this.#lastMs = NaN;
    this.#isClose = false;
  }
}
