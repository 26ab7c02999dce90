import { statusOf } from '../../../src/contract/forecastDetail.ts';
import { LONGEST_MS, parseBars, parseDurationMs } from '../../../src/contract/duration.ts';
import { fieldProblem, invalidRequest, quoteValue, type ServiceError } from '../../../src/core/ServiceError.ts';
import { MAX_ENTRIES, MIN_ENTRIES, US_PER_MS, US_PER_SECOND } from '../../../src/core/units.ts';
import type { Forecaster } from '../../../src/engine/forecast/Forecaster.ts';
import { originOf } from '../../../src/engine/forecast/memoryAt.ts';
import { rememberTicks, replayOrigins, replayTicks } from '../../../src/engine/forecast/replayTicks.ts';
import { SeriesMemory as Memory } from '../../../src/engine/memory/SeriesMemory.ts';
import type { ModelManifest } from '../../../src/engine/model/ModelManifest.ts';
import { suitableBarsOfFile, suitableTicks, suitableTicksOfFile } from '../../../src/engine/model/suitableTicks.ts';
import { medianSpreadBps } from '../../../src/ticks/tickColumns.ts';
import { formatTimestamp } from '../../../src/ticks/timestamps.ts';
import { parseNextBars, parseObservedBars } from '../../../src/ticks/parseBarRequest.ts';
import type { BarWindow } from '../../../src/ticks/BarWindow.ts';
import type { BarTime } from '../../typescript/src/barBody.ts';
import type {
  Bars,
  Engine,
  EngineOptions,
  Forecast,
  LearnOptions,
  ReplayedWindow,
  ReplayOptions,
  SeriesMemory,
  Ticks,
  WindowOptions,
} from './api.ts';
import { barListsOf, checkedBarTime, isBars, PlacedBars } from './readBars.ts';
import { memoryOf } from './memoryOf.ts';
import { openParts, type EngineParts } from './openParts.ts';
import { otherKind } from './otherKind.ts';
import { checkEntries, engineError, type Observed, readTicks } from './readTicks.ts';

const [FEWEST, MOST] = [MIN_ENTRIES - 1, MAX_ENTRIES - 1];
/** Earlier windows whose outcomes a memory learns, as in \`tickmark predict\`: more are worth little. */
const MOST_LEARNED = 100;

/** Opens a version: checks its files, and its golden answers on the kernel. Throws EngineError `model.unknown`, `model.refused`. */
export async function openEngine(options: EngineOptions = {}): Promise<Engine> {
  try {
    return new KernelEngine(await openParts(options));
  } catch (error) {
    throw engineError(error);
  }
}

/** The ticks or bars of one forecast. */
function readWindow(given: Ticks | Bars, barTime: BarTime | undefined): Observed & { readonly bars: BarWindow | undefined } {
  if (given instanceof PlacedBars) {
    checkEntries(given.series.timesUs.length, FEWEST, MOST);
    return { series: given.series, bars: given.bars, spreadsBps: undefined };
  }
  if (isBars(given)) return { ...parseObservedBars(barListsOf(given), checkedBarTime(barTime)), spreadsBps: undefined };
  return { ...readTicks(given, { fewest: FEWEST, most: MOST }), bars: undefined };
}

class KernelEngine implements Engine {
  readonly ruleset: Engine['ruleset'];
  readonly #manifest: ModelManifest;
  readonly #usesMemory: boolean;
  readonly #forecaster: Forecaster;

  constructor({ folder: { manifest, memory }, ruleset, forecaster }: EngineParts) {
    this.ruleset = ruleset;
    this.#usesMemory = memory !== undefined;
    this.#manifest = manifest;
    this.#forecaster = forecaster;
  }

  get version(): string {
    return this.#manifest.id;
  }

  ticksFor(horizon: string, memory?: SeriesMemory): number {
    const withMemory = memory !== undefined && this.#usesMemory;
    return orEngineError(() => suitableTicks(this.#manifest, microsecondsOf('horizon', horizon) / US_PER_SECOND, withMemory));
  }

  async forecast(ticks: Ticks | Bars, { horizon, barTime, memory: past, ...options }: WindowOptions): Promise<Forecast> {
    try {
      const { series, bars, spreadsBps } = readWindow(ticks, barTime);
      const futureUs = series.timesUs.at(-1)! + microsecondsOf('horizon', horizon, bars);
      const request = {
        ...{ series, futureUs },
        bars,
        ...(spreadsBps === undefined
          ? {}
          : {
              spreadBps: () => medianSpreadBps(spreadsBps),
              spreadsBps: () => spreadsBps,
              isCrossed: () => spreadsBps.some((spread) => spread < 0),
            }),
      };
      const { originMs, horizonMs } = originOf(request);
      const memory = past && memoryOf(past);
      if (bars?.barTime !== undefined) memory?.readAs(bars.barTime);
      memory?.join({ ...series, ranges: bars?.ranges });
      const { mark, reason, detail, remembered } = await this.#forecaster.forecast(request, {
        ...given({ ...options, memory: memory?.view(horizonMs) }),
        detail: true,
      });
      if (remembered !== undefined && memory?.lastMs === originMs) memory.forecast({ horizonMs, ...remembered });
      const answer = { timestamp: formatTimestamp(futureUs), trend_identified: mark, status: statusOf(reason), reason };
      return { ...answer, detail: detail as Forecast['detail'] };
    } catch (error) {
      throw engineError(error);
    }
  }

  windowsOf(ticks: Ticks | Bars, options: ReplayOptions): number {
    return orEngineError(() => this.#plan(ticks, options).origins.length);
  }

  async *replay(ticks: Ticks | Bars, options: ReplayOptions): AsyncGenerator<ReplayedWindow, void> {
    try {
      const { series, plan, origins } = this.#plan(ticks, options);
      for await (const window of replayTicks(this.#forecaster, series, plan, origins)) {
        const {
          timeUs,
          price,
          mark,
          reasons,
          probability,
          baselineProbability,
          minMoveBps,
          moveBps,
          outcome,
          range,
          isSeen,
          memoryUnused,
        } = window;
        yield {
          ...{ timeUs, price, trend_identified: mark, reasons, probability },
          ...{ baseline_probability: baselineProbability, min_move_bps: minMoveBps, move_bps: moveBps, outcome, seen_in_training: isSeen },
          range,
          memory_unused: memoryUnused,
        };
      }
    } catch (error) {
      throw engineError(error);
    }
  }

  async learn(ticks: Ticks | Bars, { memory, ...options }: LearnOptions): Promise<SeriesMemory> {
    try {
      const { series, plan } = this.#plan(ticks, options);
      const periodMs = plan.bars?.periodMs ?? 0;
      const known = memory === undefined ? new Memory(periodMs) : memoryOf(memory);
      if (known.periodMs !== periodMs) throw otherKind('?memory', known.periodMs, periodMs);
      if (options.barTime !== undefined) known.readAs(options.barTime);
      known.resume(series.timesUs[0]);
      return await rememberTicks(this.#forecaster, series, { ...plan, most: MOST_LEARNED }, known);
    } catch (error) {
      throw engineError(error);
    }
  }

  /** The windows of a replay, by the rules of `tickmark replay`; shorter distances are for the caller who knows that outcomes overlap. */
  #plan(ticks: Ticks | Bars, { horizon, barTime, ticks: count, every, grid, last, memory, ...options }: ReplayOptions) {
    const { series, bars, spreadsBps } = isBars(ticks)
      ? readBars(ticks, barTime)
      : { ...readTicks(ticks, { fewest: FEWEST }), bars: undefined };
    const horizonUs = microsecondsOf('horizon', horizon, bars);
    const delayUs = bars === undefined ? US_PER_SECOND : 0;
    const everyUs = every === undefined ? horizonUs + delayUs : microsecondsOf('every', every, bars);
    if (grid !== undefined && (grid !== 'clock' || every === undefined)) {
      const rule = grid === 'clock' ? 'it needs every, the interval of the clock' : 'it must be clock, or absent';
      throw invalid('grid', `grid is ${quoteValue(grid)}; ${rule}.`);
    }
    checkCount('ticks', count, FEWEST, MOST);
    checkCount('last', last, 1, Number.MAX_SAFE_INTEGER);
    const { minMoveBps } = options;
    const cost = minMoveBps === 'cost' ? spreadsBps && medianSpreadBps(spreadsBps.slice(-MOST)) : minMoveBps;
    if (minMoveBps === 'cost' && !(cost !== undefined && cost > 0)) {
      const why = cost === undefined ? 'no bid and ask' : 'a median spread of 0';
      throw invalidRequest([fieldProblem('?minMoveBps', 'min_move_bps.cost_unknown', `minMoveBps is cost, but the ticks have ${why}.`)]);
    }
    const withMemory = memory !== 'off' && this.#usesMemory;
    const plan = {
      stretches: withMemory && count === undefined,
      ticks:
        count ??
        (bars === undefined
          ? suitableTicksOfFile(this.#manifest, horizonUs / US_PER_SECOND, series.timesUs.length, withMemory)
          : suitableBarsOfFile(series.timesUs.length)),
      ...{ horizonUs, everyUs },
      bars,
      ...{ options: { ...options, minMoveBps: cost }, ...given({ grid, memory, most: last }) },
    };
    return { series, plan, origins: replayOrigins(series, plan) };
  }
}

/** Without what is undefined. */
function given<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as ReturnType<typeof given<T>>;
}

const invalid = (name: string, detail: string): ServiceError => invalidRequest([fieldProblem(`?${name}`, 'query.malformed', detail)]);

/** All bars of a series, which have ended. */
function readBars(bars: Bars, barTime: BarTime | undefined) {
  const lists = barListsOf(bars);
  const time = checkedBarTime(barTime);
  // Says what is missing, or too few of.
  if (time === undefined || lists.Timestamp.length < FEWEST) return { ...parseObservedBars(lists, time), spreadsBps: undefined };
  return { ...parseNextBars(lists, time, {}), spreadsBps: undefined };
}

function checkCount(name: string, count: number | undefined, least: number, most: number): void {
  if (count === undefined || (Number.isInteger(count) && count >= least && count <= most)) return;
  throw invalid(name, `${name} is ${quoteValue(count)}; it must be a whole number from ${least} to ${most}.`);
}

function microsecondsOf(name: 'horizon' | 'every', text: string, bars?: BarWindow): number {
  const count = bars && typeof text === 'string' ? parseBars(text) : undefined;
  if (count !== undefined) return count * bars!.periodMs * US_PER_MS;
  const ms = typeof text === 'string' ? parseDurationMs(text) : undefined;
  if (ms !== undefined) return ms * US_PER_MS;
  throw invalid(name, `${name} is ${quoteValue(text)}; write a duration such as 10s, 5m or 1h, ${LONGEST_MS / 3_600_000}h at most.`);
}

function orEngineError<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw engineError(error);
  }
}
