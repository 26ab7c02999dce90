import { MAX_ENTRIES } from '../../../src/core/units.ts';
import { SeriesCloses } from '../../../src/ticks/SeriesCloses.ts';
import { TickWindow } from '../../../src/ticks/TickWindow.ts';
import type { Engine, Forecast, ForecastOptions, SeriesMemory, Ticks } from './api.ts';
import { openMemory } from './memory.ts';
import { memoryOf } from './memoryOf.ts';
import { engineError, readTicks } from './readTicks.ts';

export type SeriesOptions = ForecastOptions & {
  /** Last ticks of the window. Default: the number that suits the horizon. */
  readonly ticks?: number | undefined;
};

/** The last ticks of a live series, what it has said so far, and the closes of its last minutes: bounded, whatever comes. */
export class Series {
  readonly #engine: Engine;
  readonly #window = new TickWindow(MAX_ENTRIES - 1);
  readonly #closes = new SeriesCloses();
  readonly #memory: SeriesMemory;

  /** `memory`: of an earlier run of this series. Throws EngineError `request.invalid` for another object. */
  constructor(engine: Engine, memory: SeriesMemory = openMemory()) {
    this.#engine = engine;
    this.#memory = memory;
  }

  /** What the series has said so far. */
  get memory(): SeriesMemory {
    return this.#memory;
  }

  /** Ticks that are kept, 3000 at most. */
  get ticks(): number {
    return this.#window.size;
  }

  /** The next ticks, none before the last one. All of them are kept, or EngineError `request.invalid` is thrown and none is. */
  push(ticks: Ticks): void {
    try {
      const { series, spreadsBps } = readTicks(ticks, { afterUs: this.#window.lastUs });
      const memory = memoryOf(this.#memory);
      if (this.#window.lastUs === undefined && series.timesUs.length > 0) memory.resume(series.timesUs[0]!);
      for (const [i, timeUs] of series.timesUs.entries()) {
        this.#window.push(timeUs, series.prices[i]!, spreadsBps?.[i]);
        this.#closes.push(timeUs, series.prices[i]!);
        memory.push(timeUs, series.prices[i]!);
      }
    } catch (error) {
      throw engineError(error);
    }
  }

  /** A forecast from the last ticks. Rejects with EngineError; `request.invalid` with `ticks.too_few` below 199 ticks. */
  async forecast({ ticks, ...options }: SeriesOptions): Promise<Forecast> {
    const window = this.#window.last(ticks ?? this.#engine.ticksFor(options.horizon));
    const closes = this.#engine.usesCloses && window.timesUs.length > 0 ? this.#closes.before(window.timesUs[0]!) : undefined;
    return this.#engine.forecast(window, { ...options, memory: this.#memory, ...(closes === undefined ? {} : { closes }) });
  }
}
