import { sessionGapS } from '../features/sessionGap.ts';
import { isShortTime } from '../model/suitableTicks.ts';
import { BPS_PER_UNIT, MAX_ENTRIES, US_PER_MS, US_PER_SECOND } from '../../core/units.ts';
import { SeriesMemory } from '../memory/SeriesMemory.ts';
import type { Forecaster } from './Forecaster.ts';
import type { ForecastOptions } from '../../contract/forecastOptions.ts';
import type { RangeBand } from '../../contract/outlook.ts';
import type { MemoryReason } from '../../contract/reasons.ts';
import { formatTimestamp } from '../../ticks/timestamps.ts';
import type { BarWindow } from '../../ticks/BarWindow.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';
import { originOf } from './memoryAt.ts';
import type { ForecastDetail } from '../../contract/forecastDetail.ts';
import type { TouchAnswer } from '../../contract/outlook.ts';
import { medianSpreadBps } from '../../ticks/tickColumns.ts';
import type { LiveWindow } from '../../ticks/TickWindow.ts';
import type { MemoryView } from '../memory/MemoryView.ts';
import { midAt, type TouchBy, Touches } from '../features/Touches.ts';
import { followTouches, labelOrigin, type OriginLabel } from '../features/labelOrigin.ts';
import { clockOrigins, spacedOrigins } from '../features/spacedOrigins.ts';

export type ReplayOptions = {
  /** Most ticks of a window, and fewest of the first one. */
  readonly ticks: number;
  /** A window of `ticks` that is too short a time for the horizon has as many as are there, as that of a live series. Not for bars. */
  readonly stretches?: boolean;
  readonly horizonUs: number;
  /** Time from one window to the next. At least the horizon plus one second, of bars the horizon: no two outcomes overlap. */
  readonly everyUs: number;
  /** clock: windows end where a live series forecasts, at the first tick of each interval of the clock. Default: from the first window on. */
  readonly grid?: 'clock';
  /** Of the whole series, if it is one of bars. */
  readonly bars?: BarWindow;
  /** Use only this many windows, the last ones. */
  readonly most?: number;
  /** Of each forecast; its threshold is a number. */
  readonly options?: ForecastOptions;
  /** The smallest marked probability from those of the windows before; null: they are too few. */
  readonly rate?: { cut(): number | null; add(model: string, timeUs: number, probability: number | null): void };
  /**
   * Asks whether the prices at the threshold above and below are reached. `spreadsBps`: of each tick, for `by`. Without a threshold of the caller, each
   * window is forecast twice.
   */
  readonly touch?: { readonly by?: TouchBy; readonly spreadsBps?: Float64Array };
  /** off: each window stands alone. Default: the ticks and outcomes before it are the memory of its series. */
  readonly memory?: 'off';
};

/** Why a window has no outcome: the file ends, the market paused, or the price went to another level in one step; `no_threshold`: the window has no threshold, so no answer is right or wrong. */
type Unknown = 'data_ends' | 'session_gap' | 'level_changed' | 'no_threshold';

/** One window: the answer at its last tick, and the outcome. */
export type ReplayedWindow = {
  /** Time of its last tick. */
  readonly timeUs: number;
  readonly price: number;
  readonly mark: 1 | null;
  /** Codes of the reasons if the mark is null. */
  readonly reasons: readonly string[];
  /** Probability of a move above the threshold; null if the network was not run. */
  readonly probability: number | null;
  /** The same probability by the volatility baseline of the version. */
  readonly baselineProbability: number | null;
  readonly minMoveBps: number | null;
  /** The version was trained on the ticks of the window, by its sample of them. */
  readonly isSeen: boolean;
  /** Only if levels are given. */
  readonly range?: readonly RangeBand[];
  /** Why the memory of the series was not used. */
  readonly memoryUnused?: MemoryReason | undefined;
  /** Move from the entry to the last price within the horizon, basis points of log return; null if unknown. */
  readonly moveBps: number | null;
  readonly outcome: 1 | 0 | Unknown;
  /** Only if touches are asked for, and the window has a threshold and an outcome. */
  readonly touch?: ReplayedTouch;
};

type ReplayedTouch = {
  /** Of the prices above and below: with what probability each is reached, null: unknown; and whether it was. */
  readonly levels: readonly { readonly probability: number | null; readonly isReached: boolean }[];
  /** Where the mid is when the level above is reached, log price from the last one, and sigma(600) sqrt(H). */
  readonly distance: number;
  readonly sigma: number;
  /** ln of the greatest and the smallest price after the entry over the last one; infinite without a price. */
  readonly up: number;
  readonly down: number;
};

const logistic = (logit: number): number => 1 / (1 + Math.exp(-logit));

/** The last ticks of the replayed windows, ascending. */
export function replayOrigins({ timesUs }: TickSeries, { ticks, everyUs, grid, most }: ReplayOptions): Int32Array {
  const origins =
    grid === 'clock' ? clockOrigins(timesUs, everyUs, ticks) : spacedOrigins(timesUs, everyUs / US_PER_SECOND, { minTicks: ticks });
  return most === undefined ? origins : origins.slice(-most);
}

/**
 * Replays a series in time order: at each origin it makes a forecast from the ticks up to it, with the rules and thresholds of the service,
 * and compares it with the outcome (docs/explanation/evaluation.md, "Replay"). Throws the errors of a forecast.
 */
export async function* replayTicks(
  forecaster: Pick<Forecaster, 'forecast'>,
  series: TickSeries,
  options: ReplayOptions,
  origins = replayOrigins(series, options),
): AsyncGenerator<ReplayedWindow> {
  const { horizonUs, rate } = options;
  const barPeriodMs = options.bars?.periodMs ?? 0;
  const memory = options.memory === 'off' ? undefined : new SeriesMemory(options.bars?.periodMs);
  let known = 0;
  for (const origin of origins) {
    const timeUs = series.timesUs[origin];
    const request = requestAt(series, origin, options);
    const { originMs, horizonMs } = originOf(request);
    memory?.add(series, known, origin + 1);
    known = origin + 1;
    const view = memory?.view(horizonMs);
    const asked = options.touch && (await touchAt(forecaster, request, options, view));
    const { mark, detail, outlook, remembered } = await forecaster.forecast(request, {
      counterfactual: false,
      memory: view,
      ...options.options,
      ...asked,
      ...(rate === undefined ? {} : { markCut: rate.cut() }),
      detail: true,
    });
    if (remembered !== undefined && memory?.lastMs === originMs) memory.forecast({ horizonMs, ...remembered });
    if (detail === null) throw new Error(`no detail at ${formatTimestamp(timeUs, 6)}`);
    const { opportunity, logit, reasons, input } = detail;
    rate?.add(detail.model.id, timeUs, opportunity.probability);
    const gapS = sessionGapS((input.median_gap_ms ?? 0) / 1000, barPeriodMs);
    const label = labelOrigin(series, origin, horizonUs / US_PER_SECOND, gapS, barPeriodMs);
    yield {
      timeUs,
      price: series.prices[origin],
      mark,
      reasons: reasons.map(({ code }) => code),
      probability: opportunity.probability,
      baselineProbability: logit === null ? null : logistic(logit.baseline),
      minMoveBps: opportunity.min_move_bps,
      isSeen: input.notes.includes('seen_in_training'),
      range: outlook?.range,
      memoryUnused: outlook?.memory_unused,
      ...outcomeOf(label, opportunity.min_move_bps),
      touch:
        asked &&
        outlook?.touch &&
        touchOutcome({ ...series, spreadsBps: options.touch?.spreadsBps, ranges: options.bars?.ranges }, origin, label, {
          asked,
          levels: outlook.touch.levels,
          detail,
          request,
        }),
    };
  }
}

/**
 * The memory of a series at its last tick: it has seen all ticks, and forecasts at the last `most` windows whose outcomes the ticks tell.
 * `memory`: what earlier ticks of the series said; it learns on. Throws the errors of a forecast.
 */
export async function rememberTicks(
  forecaster: Pick<Forecaster, 'forecast'>,
  series: TickSeries,
  options: Omit<ReplayOptions, 'rate' | 'memory'> & { readonly most: number },
  memory = new SeriesMemory(options.bars?.periodMs),
): Promise<SeriesMemory> {
  const { horizonUs } = options;
  const endUs = series.timesUs.at(-1)! - horizonUs;
  let known = 0;
  for (const origin of replayOrigins(series, { ...options, most: options.most + 1 })) {
    const timeUs = series.timesUs[origin];
    if (timeUs > endUs) break;
    memory.add(series, known, origin + 1);
    known = origin + 1;
    const request = requestAt(series, origin, options);
    const { originMs, horizonMs } = originOf(request);
    const { remembered } = await forecaster.forecast(request, { ...options.options, memory: memory.view(horizonMs) });
    if (remembered !== undefined && memory.lastMs === originMs) memory.forecast({ horizonMs, ...remembered });
  }
  memory.add(series, known);
  return memory;
}

/** The request that has the ticks up to an origin. */
function requestAt(
  { timesUs, prices }: TickSeries,
  origin: number,
  { ticks, horizonUs, bars, stretches = false, touch }: Pick<ReplayOptions, 'ticks' | 'horizonUs' | 'bars' | 'stretches' | 'touch'>,
): TickRequest {
  const coversMs = (timesUs[origin] - timesUs[origin + 1 - ticks]) / US_PER_MS;
  const count =
    stretches && bars === undefined && isShortTime(coversMs, horizonUs / US_PER_MS) ? Math.min(origin + 1, MAX_ENTRIES - 1) : ticks;
  const cut = (values: Float64Array): Float64Array => values.subarray(origin + 1 - count, origin + 1);
  const spreads = touch?.spreadsBps;
  const request = {
    ...{ series: { timesUs: cut(timesUs), prices: cut(prices) }, futureUs: timesUs[origin] + horizonUs },
    ...(spreads === undefined ? {} : { spreadBps: () => medianSpreadBps(cut(spreads)), spreadsBps: () => cut(spreads) }),
  };
  if (bars === undefined) return request;
  const { periodMs, ranges } = bars;
  if (ranges === undefined) return { ...request, bars: { periodMs } };
  return { ...request, bars: { periodMs, ranges: { open: cut(ranges.open), high: cut(ranges.high), low: cut(ranges.low) } } };
}

type AskedTouch = { readonly touch: readonly [above: number, below: number]; readonly touchBy: TouchBy | undefined };

/** The prices at the threshold of a window; undefined: it has none. */
async function touchAt(
  forecaster: Pick<Forecaster, 'forecast'>,
  request: TickRequest,
  { options, touch }: ReplayOptions,
  memory: MemoryView | undefined,
): Promise<AskedTouch | undefined> {
  const given = options?.minMoveBps;
  const moveBps = typeof given === 'number' ? given : (await forecaster.forecast(request, { ...options, memory })).summary.minMoveBps;
  const lastPrice = request.series.prices.at(-1)!;
  const at = (bps: number): number => lastPrice * Math.exp(bps / BPS_PER_UNIT);
  return moveBps === null ? undefined : { touch: [at(moveBps), at(-moveBps)], touchBy: touch?.by };
}

type Answered = {
  readonly asked: AskedTouch;
  readonly levels: TouchAnswer['levels'];
  readonly detail: ForecastDetail;
  readonly request: TickRequest;
};

/** Whether the prices were reached; undefined: it is not known. */
function touchOutcome(
  series: LiveWindow,
  origin: number,
  label: OriginLabel,
  { asked, levels, detail, request }: Answered,
): ReplayedTouch | undefined {
  if (label.status === 'dropped') return undefined;
  const [lastPrice, spreadBps] = [series.prices[origin], request.spreadsBps?.().at(-1)];
  const [touches, mids] = [new Touches(lastPrice, asked.touch, asked.touchBy, spreadBps), new Touches(lastPrice, [], 'mid')];
  followTouches(series, label, touches);
  followTouches(series, label, mids);
  const above = midAt(asked.touch[0], true, asked.touchBy, spreadBps);
  return {
    levels: levels.map(({ probability }, at) => ({ probability, isReached: touches.touched[at]! })),
    distance: Math.max(0, Math.log(above / lastPrice)),
    sigma: ((detail.input.volatility_bps_per_sqrt_s ?? NaN) / BPS_PER_UNIT) * Math.sqrt(detail.horizon_ms / 1000),
    ...{ up: Math.log(mids.extremes.high / lastPrice), down: Math.log(mids.extremes.low / lastPrice) },
  };
}

function outcomeOf(label: OriginLabel, minMoveBps: number | null): Pick<ReplayedWindow, 'moveBps' | 'outcome'> {
  if (label.status === 'dropped') return { moveBps: null, outcome: label.why };
  const moveBps = label.move * BPS_PER_UNIT;
  if (minMoveBps === null) return { moveBps, outcome: 'no_threshold' };
  return { moveBps, outcome: Math.abs(moveBps) > minMoveBps ? 1 : 0 };
}
