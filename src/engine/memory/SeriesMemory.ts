import type { BarTime } from '../../core/barTime.ts';
import { lastLevel } from '../../ticks/LevelWatch.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';
import { type BarRange, type LiveWindow, rangeAt } from '../../ticks/TickWindow.ts';
import { firstAtOrAfterMs } from '../features/labelOrigin.ts';
import { sessionGapS } from '../features/sessionGap.ts';
import { BarTimeDoubt } from './BarTimeDoubt.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import type { HorizonMemory } from './HorizonMemory.ts';
import type { MemoryView } from './MemoryView.ts';
import { newHorizons } from './newHorizons.ts';
import type { Answered } from './Outcomes.ts';
import { MINUTE_MS, RecentMinutes } from './RecentMinutes.ts';

/** A series that goes back by more begins again: its clock was wrong, or the same past is tried once more. */
const STEP_BACK_MS = 24 * 60 * MINUTE_MS;
/**
 * Of ticks, and of bars, where the period follows, by age: without the weights of the series, without touches, without the weights of the time of
 * day, and the present one. What an older one lacks begins.
 */
const OLDER_FORMATS = [
  { ticks: 1, bars: 3 },
  { ticks: 4, bars: 5 },
  { ticks: 6, bars: 7 },
] as const;
const FORMATS = { ticks: 8, bars: 9 } as const;
/** A full memory takes less: a test fills one. */
export const MAX_MEMORY_BYTES = 24_576;

/** A forecast of the series, made at its last tick. `probability`: of the base, without memory. */
export type RememberedForecast = Answered & {
  readonly horizonMs: number;
  /** Number that differs from version to version. */
  readonly version: number;
};

/**
 * What is kept of one series: sizes of moves by horizon, squared one-minute moves of a day, the profile of the clock, and means of outcomes;
 * no ticks, and no prices but the last ones. The state is the same however the ticks are divided among calls. A series of bars is one of their
 * closes at the ends of the bars: its moves go from close to close, and a close belongs to the minute that ends with it.
 */
export class SeriesMemory {
  /** Of the bars; 0: a series of ticks. */
  readonly periodMs: number;
  /** A longer time without a tick is a pause of the market. */
  readonly #pauseMs: number;
  #minutes = new RecentMinutes();
  #horizons: HorizonMemory[];
  #sinceMs = NaN;
  /** The last price, which another tick of the same millisecond may still replace; NaN before the first tick and after a cut. */
  #lastMs = NaN;
  #lastPrice = NaN;
  /** Ticks up to here change nothing but the last price: no move, minute or forecast begins or ends. */
  #wakeMs = -Infinity;
  #version = 0;
  readonly #doubt: BarTimeDoubt;

  constructor(periodMs = 0) {
    this.periodMs = periodMs;
    this.#doubt = new BarTimeDoubt(periodMs);
    this.#pauseMs = 1000 * sessionGapS(0, periodMs);
    this.#horizons = newHorizons(periodMs);
  }

  get minutes(): RecentMinutes {
    return this.#minutes;
  }

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
  add({ timesUs, prices, ranges }: Omit<LiveWindow, 'spreadsBps'>, from = 0, to = timesUs.length): void {
    for (let i = from; i < to; i++) this.push(timesUs[i], prices[i], rangeAt(ranges, i));
  }

  /** What the timestamps of the next bars are read as: from now on, it is compared with the clock. What was learned by another one is forgotten. */
  readAs(barTime: BarTime): void {
    if (this.#doubt.readAs(barTime)) for (const horizon of this.#horizons) horizon.forgetWeights();
  }

  /** The ticks of a request. If they begin after the last tick, others may be missing between them: nothing is learned across this gap. */
  join(window: Omit<LiveWindow, 'spreadsBps'>): void {
    const { timesUs } = window;
    this.stepBack(timesUs.at(-1)!);
    const { from, to } = lastLevel(window, { periodUs: 1000 * this.periodMs, pauseUs: 1000 * this.#pauseMs });
    if (from > 0 && this.#lastMs < Math.floor(timesUs[from] / 1000)) this.restart();
    this.resume(timesUs[0]);
    this.add(window, Number.isNaN(this.#lastMs) ? from : firstAtOrAfterMs(timesUs, this.#lastMs), to);
  }

  /** The series is at this tick. If that is more than a day before the last one, it begins again. */
  stepBack(lastUs: number): void {
    if (this.#lastMs - lastUs / 1000 > STEP_BACK_MS) this.restart();
  }

  /** Forgets all: the price is on another level, so that what was known of it is of another market. */
  restart(): void {
    this.#minutes = new RecentMinutes();
    this.#horizons = newHorizons(this.periodMs);
    this.#doubt.restart();
    this.#sinceMs = this.#lastMs = this.#lastPrice = NaN;
    this.#wakeMs = -Infinity;
  }

  /** The next tick is that of another source: if it is later than the last one, or the next bar, nothing is learned across the gap. */
  resume(firstUs: number): void {
    if (this.#isAfterGap(firstUs)) this.#cut();
  }

  /** The next tick, not before the last one; `range`: of a bar. */
  push(timeUs: number, price: number, range?: BarRange): void {
    const ms = Math.floor(timeUs / 1000);
    // Of a bar that is sent again when it has ended, the clock was asked before.
    if (!(ms <= this.#lastMs)) this.#doubt.push(ms, price, range);
    if (!(ms < this.#lastMs)) this.#accept(ms, price);
    // What it has reached stays so, if it is sent again.
    if (range !== undefined && ms === this.#lastMs) for (const horizon of this.#horizons) horizon.reach(ms, range);
  }

  view(horizonMs: number): MemoryView {
    const [originMs, price, horizon] = [this.#lastMs, this.#lastPrice, this.horizonOf(horizonMs)];
    const { profile } = this.minutes;
    const barTimeDoubt = this.#doubt.text();
    const taught = horizon.taughtAt(originMs, price);
    // Without spreads, which take most of the time of a view.
    return {
      periodMs: this.periodMs,
      originMs,
      horizonMs,
      sinceMs: this.#sinceMs,
      version: this.#version,
      outcomes: taught.outcomes,
      ranges: taught.ranges,
      touches: taught.touches,
      own: barTimeDoubt === undefined ? taught.own : null,
      squares: this.minutes.meanSquares(),
      profile: profile.at(originMs, horizonMs),
      clock: this.periodMs === 0 || profile.isEmpty ? undefined : profile.values(),
      barTimeDoubt,
      movesMs: horizon.horizonMs,
      moves: horizon.movesAt(originMs, price),
    };
  }

  /** Remembers a forecast at the last tick, to compare it with its outcome. */
  forecast(made: RememberedForecast): void {
    this.begin(made.horizonMs);
    this.answer(this.#lastMs, made.horizonMs, made);
  }

  /** A forecast at the last tick is being computed: call `answer` once with what it was. */
  begin(horizonMs: number): void {
    this.#wakeMs = -Infinity;
    this.horizonOf(horizonMs).begin(this.#lastMs, horizonMs, this.#lastPrice);
  }

  /** Null: the forecast failed, or has no probability. */
  answer(originMs: number, horizonMs: number, made: Omit<RememberedForecast, 'horizonMs'> | null): void {
    if (made !== null && made.version !== this.#version) {
      for (const horizon of this.#horizons) horizon.forgetProbabilities();
      this.#version = made.version;
    }
    this.horizonOf(horizonMs).answer(originMs, horizonMs, made);
  }

  /** Whether a forecast has to be answered before a tick at `ms` is added: its outcome would count for others of that tick. */
  isOwed(ms: number): boolean {
    return this.#horizons.some((horizon) => horizon.isOwed(ms));
  }

  /** The same for the ticks of a request: after a gap, they bring no outcome. */
  isOwedBy({ timesUs }: Pick<TickSeries, 'timesUs'>): boolean {
    return this.isOwed(this.#isAfterGap(timesUs[0]) ? this.#lastMs : Math.floor(timesUs.at(-1)! / 1000));
  }

  save(): Uint8Array {
    const out = new ByteWriter(MAX_MEMORY_BYTES);
    out.whole(this.periodMs === 0 ? FORMATS.ticks : FORMATS.bars);
    if (this.periodMs > 0) out.double(this.periodMs);
    for (const value of [this.#sinceMs, this.#lastMs, this.#lastPrice, this.#version]) out.double(value);
    // Whether the last price is a one-minute close, which an earlier release learned from.
    out.whole(0);
    this.minutes.save(out);
    for (const horizon of this.#horizons) horizon.save(out);
    if (this.periodMs > 0) this.#doubt.save(out);
    return out.take();
  }

  /** Throws RangeError for bytes that `save` of this format did not write. */
  static load(bytes: Uint8Array): SeriesMemory {
    const from = new ByteReader(bytes);
    const format = from.whole();
    const [ofTicks, ofTheirBars] = (['ticks', 'bars'] as const).map((kind) =>
      [...OLDER_FORMATS, FORMATS].findIndex((formats): boolean => formats[kind] === format),
    ) as [number, number];
    const age = Math.max(ofTicks, ofTheirBars);
    const isOlder = age === 0;
    if (age < 0) throw new RangeError(`The series memory has format ${format}; format ${FORMATS.ticks} or ${FORMATS.bars} is expected.`);
    const ofBars = ofTheirBars >= 0;
    const memory = new SeriesMemory(ofBars ? from.number('period of the bars', 1000, STEP_BACK_MS) : 0);
    const sinceMs = (memory.#sinceMs = from.time('first tick'));
    const lastMs = (memory.#lastMs = from.time('last tick'));
    memory.#lastPrice = from.price('last price');
    memory.#version = from.count('version', 2 ** 32 - 1);
    const isClose = from.flag('whether the last price is a close');
    const isEmpty = Number.isNaN(sinceMs) && Number.isNaN(lastMs) && Number.isNaN(memory.#lastPrice);
    from.check(isEmpty || (!(lastMs < sinceMs) && memory.#lastPrice > 0 && sinceMs >= 0), `the ticks are from ${sinceMs} to ${lastMs}`);
    from.check(!isClose || lastMs % MINUTE_MS === 0, `a close ends at ${lastMs}, within a minute`);
    memory.minutes.load(from, Math.floor(memory.#minuteOf(lastMs) / MINUTE_MS), isOlder);
    for (const horizon of memory.#horizons) {
      const openMs = horizon.load(from, lastMs, age);
      if (openMs !== undefined) from.check(memory.horizonOf(openMs) === horizon, `a forecast of ${openMs} ms is that of another horizon`);
    }
    if (memory.periodMs > 0) memory.#doubt.load(from);
    from.end();
    return memory;
  }

  #accept(ms: number, price: number): void {
    if (ms > this.#lastMs) this.#settle(ms);
    if (Number.isNaN(this.#sinceMs)) this.#sinceMs = ms;
    this.#lastMs = ms;
    this.#lastPrice = price;
  }

  /** The last price is final, and what ends before `ms` is over. */
  #settle(ms: number): void {
    if (ms <= this.#wakeMs) return;
    const lastMs = this.#lastMs;
    this.#wakeMs = -Infinity;
    if (ms - lastMs > this.#pauseMs) {
      this.#finish();
      for (const horizon of this.#horizons) horizon.cut(lastMs);
      return this.minutes.pause();
    }
    this.minutes.add(this.#minuteOf(lastMs), this.#lastPrice);
    this.minutes.advance(this.#minuteOf(ms));
    let wakeMs = Math.floor(ms / MINUTE_MS + 1) * MINUTE_MS - 1;
    for (const horizon of this.#horizons) {
      horizon.follow(ms, lastMs, this.#lastPrice);
      wakeMs = Math.min(wakeMs, horizon.wakeMs);
    }
    this.#wakeMs = wakeMs;
  }

  /** Takes the last price as final. */
  #finish(): void {
    const [lastMs, lastPrice] = [this.#lastMs, this.#lastPrice];
    for (const horizon of this.#horizons) horizon.add(lastMs, lastPrice);
    this.minutes.add(this.#minuteOf(lastMs), lastPrice);
  }

  #isAfterGap(firstUs: number): boolean {
    return Math.floor(firstUs / 1000) > this.#lastMs + this.periodMs;
  }

  /** A time in the minute that a price at `ms` belongs to: bars end with it. */
  #minuteOf(ms: number): number {
    return this.periodMs === 0 ? ms : ms - 1;
  }

  /** Ticks are missing after the last price. */
  #cut(): void {
    if (Number.isNaN(this.#lastMs)) return;
    this.#finish();
    for (const horizon of this.#horizons) horizon.cut(this.#lastMs);
    this.minutes.cut();
    this.#doubt.cut();
    this.#wakeMs = -Infinity;
    this.#lastMs = NaN;
  }
}

/** Why bytes are not what `SeriesMemory.save` returns, or could return; undefined: they are. */
export function memoryFault(bytes: Uint8Array): string | undefined {
  try {
    SeriesMemory.load(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
