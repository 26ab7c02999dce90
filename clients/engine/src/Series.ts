import { parseDurationMs } from '../../../src/contract/duration.ts';
import { fieldProblem, invalidRequest, quoteValue } from '../../../src/core/ServiceError.ts';
import { MAX_ENTRIES, US_PER_MS } from '../../../src/core/units.ts';
import { refuseOtherRanges } from '../../../src/engine/live/refusals.ts';
import { hasVolume } from '../../../src/ticks/fillers.ts';
import { parseNextBars } from '../../../src/ticks/parseBarRequest.ts';
import { LEAST_TICKS } from '../../../src/engine/live/LiveSeries.ts';
import { levelsOf } from '../../../src/engine/live/levelsOf.ts';
import type { LevelWatch } from '../../../src/ticks/LevelWatch.ts';
import { isPeriod } from '../../../src/ticks/placeBars.ts';
import { type LiveWindow, rangeAt, TickWindow } from '../../../src/ticks/TickWindow.ts';
import type { BarTime } from '../../typescript/src/barBody.ts';
import type { Bars, Engine, Forecast, ForecastOptions, SeriesMemory, TickColumns, Ticks } from './api.ts';
import { openMemory } from './memory.ts';
import { memoryOf } from './memoryOf.ts';
import { otherKind } from './otherKind.ts';
import { barListsOf, checkedBarTime, isBars, PlacedBars } from './readBars.ts';
import { engineError, type Observed, readTicks } from './readTicks.ts';

export type SeriesOptions = ForecastOptions & {
  /** Last ticks of the window. Default: the number that suits the horizon. */
  readonly ticks?: number | undefined;
};

export type SeriesBars = {
  /** Whether the timestamps of the bars are their beginnings (`open`) or their ends (`close`). */
  readonly barTime: BarTime;
  /** How long a bar is, such as `1m`. */
  readonly period: string;
};

/** Of bars, when `ticks` is absent. */
const USUAL_BARS = 500;

/** The last ticks of a live series, and what it has said so far: bounded, whatever comes. */
export class Series {
  readonly #engine: Engine;
  readonly #window = new TickWindow(MAX_ENTRIES - 1);
  readonly #levels: LevelWatch;
  /** One of its bars had a volume. */
  #hasVolume = false;
  readonly #memory: SeriesMemory;
  readonly #bars: { readonly barTime: BarTime; readonly periodMs: number } | undefined;

  /**
   * `memory`: of an earlier run of this series. `bars`: the series is one of bars, which have ended when they are pushed. Throws EngineError
   * `request.invalid` for another object, or a memory of another kind.
   */
  constructor(engine: Engine, memory?: SeriesMemory, bars?: SeriesBars) {
    this.#engine = engine;
    try {
      this.#bars = bars && { barTime: requiredBarTime(bars.barTime), periodMs: periodMsOf(bars.period) };
      const periodMs = this.#bars?.periodMs ?? 0;
      this.#memory = memory ?? openMemory(undefined, { barPeriodMs: periodMs });
      const known = memoryOf(this.#memory).periodMs;
      if (known !== periodMs) throw otherKind('?memory', known, periodMs);
      if (this.#bars !== undefined) memoryOf(this.#memory).readAs(this.#bars.barTime);
      this.#levels = levelsOf(periodMs);
    } catch (error) {
      throw engineError(error);
    }
  }

  /** What the series has said so far. */
  get memory(): SeriesMemory {
    return this.#memory;
  }

  /** Ticks that are kept, 3000 at most. */
  get ticks(): number {
    return this.#window.size;
  }

  /** The last of them. */
  last(count: number): TickColumns {
    const { timesUs, prices } = this.#window.last(count);
    return { timesUs, prices };
  }

  /**
   * The next ticks, none before the last one, or the next bars, each once. All of them are kept, or EngineError `request.invalid` is thrown and
   * none is.
   */
  push(ticks: Ticks | Bars): void {
    try {
      const { series, spreadsBps, ranges } = this.#read(ticks);
      const memory = memoryOf(this.#memory);
      if (this.#window.lastUs === undefined && series.timesUs.length > 0) memory.resume(series.timesUs[0]);
      for (const [i, timeUs] of series.timesUs.entries()) {
        const range = rangeAt(ranges, i);
        this.#window.push(timeUs, series.prices[i], spreadsBps?.[i], range);
        memory.push(timeUs, series.prices[i], range);
        if (this.#levels.add(series.prices[i], timeUs) === 'stays') this.#restart();
      }
    } catch (error) {
      throw engineError(error);
    }
  }

  /** The price stays on another level, as after a split: what was before is of another market. */
  #restart(): void {
    const since = this.#window.last(this.#levels.sinceJump);
    memoryOf(this.#memory).restart();
    memoryOf(this.#memory).add(since);
  }

  /** The last ticks, of those on the new level alone as soon as they suffice. */
  #last(count: number): LiveWindow {
    const { sinceJump } = this.#levels;
    return this.#window.last(sinceJump >= LEAST_TICKS ? Math.min(count, sinceJump) : count);
  }

  #read(given: Ticks | Bars): Observed & { readonly ranges?: LiveWindow['ranges'] } {
    const { lastUs, hasRanges } = this.#window;
    if (this.#bars === undefined) {
      if (isBars(given)) throw otherKind('', 0, NaN);
      return readTicks(given, { afterUs: lastUs });
    }
    if (!isBars(given)) {
      if (Array.isArray(given) && given.length === 0) return { series: NO_TICKS, spreadsBps: undefined };
      throw otherKind('', this.#bars.periodMs, 0);
    }
    const lists = barListsOf(given);
    const known = { periodMs: this.#bars.periodMs, lastUs, close: this.#window.last(1).prices[0], hasVolume: this.#hasVolume };
    const { series, bars } = parseNextBars(lists, this.#bars.barTime, known);
    this.#hasVolume ||= lists.Volume !== undefined && hasVolume(lists.Volume);
    refuseOtherRanges(hasRanges, bars.ranges !== undefined);
    return { series, spreadsBps: undefined, ranges: bars.ranges };
  }

  /** A forecast from the last ticks. Rejects with EngineError; `request.invalid` with `ticks.too_few` below 199 ticks. */
  async forecast({ ticks, ...options }: SeriesOptions): Promise<Forecast> {
    if (this.#bars !== undefined) {
      const { ranges, ...series } = this.#last(ticks ?? USUAL_BARS);
      const placed = new PlacedBars(series, { ...this.#bars, ranges });
      // An engine knows the bars of its own package.
      return this.#engine.forecast(placed as unknown as Bars, { ...options, memory: this.#memory });
    }
    const window = this.#last(ticks ?? this.#engine.ticksFor(options.horizon, this.#memory));
    return this.#engine.forecast(window, { ...options, memory: this.#memory });
  }
}

const NO_TICKS = { timesUs: new Float64Array(), prices: new Float64Array() };

function requiredBarTime(barTime: BarTime): BarTime {
  if (checkedBarTime<BarTime | undefined>(barTime) !== undefined) return barTime;
  throw invalidRequest([fieldProblem('?barTime', 'bar_time.required', 'barTime is required with bars: open or close.')]);
}

function periodMsOf(period: string): number {
  const ms = typeof period === 'string' ? parseDurationMs(period) : undefined;
  if (ms !== undefined && isPeriod(ms * US_PER_MS)) return ms;
  const detail = `period is ${quoteValue(period)}; it must be from 1s to 1d, such as 1m.`;
  throw invalidRequest([fieldProblem('?period', 'bars.period_out_of_range', detail)]);
}
