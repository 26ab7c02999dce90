import { sessionGapS } from '../../src/features/columns.ts';
import { BPS_PER_UNIT, US_PER_SECOND } from '../../src/core/units.ts';
import type { Forecaster } from '../../src/forecast/Forecaster.ts';
import { formatTimestamp } from '../../src/ticks/formatTimestamp.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { labelOrigin } from '../labels/labelOrigin.ts';
import { spacedOrigins } from '../labels/selectOrigins.ts';

export type ReplayOptions = {
  /** Ticks of a window, and least ticks of the first. */
  readonly ticks: number;
  readonly horizonUs: number;
  /** From one window to the next; at least the horizon and a second: no two outcomes overlap. */
  readonly everyUs: number;
  /** Only the last so many windows. */
  readonly most?: number;
  readonly minMoveBps?: number;
  readonly modelId?: string;
};

/** Why nobody knows what came: the file ends, or the market paused; `no_threshold`: the window has none, so nothing could be right or wrong. */
export type Unknown = 'data_ends' | 'session_gap' | 'no_threshold';

/** One window: what was answered at its last tick, and what came. */
export type ReplayedWindow = {
  /** Of its last tick. */
  readonly timeUs: number;
  readonly price: number;
  readonly mark: 1 | null;
  /** Codes of the reasons where the mark is null. */
  readonly reasons: readonly string[];
  /** Of a move above the threshold; null where the network was not asked. */
  readonly probability: number | null;
  /** The same by the version's volatility baseline alone. */
  readonly baselineProbability: number | null;
  readonly minMoveBps: number | null;
  /** From the entry to the last price within the horizon, basis points of log return; null where nobody knows. */
  readonly moveBps: number | null;
  readonly outcome: 1 | 0 | Unknown;
};

const logistic = (logit: number): number => 1 / (1 + Math.exp(-logit));

/** The last ticks of the windows that a series is replayed in, ascending. */
export function replayOrigins({ timesUs, prices }: TickSeries, { ticks, everyUs, most }: ReplayOptions): Int32Array {
  const origins = spacedOrigins({ timesUs, prices }, everyUs / US_PER_SECOND, { minTicks: ticks });
  return most === undefined ? origins : origins.slice(-most);
}

/**
 * Goes through a series as time went: at each origin a forecast from the ticks up to it, by the way of the service with its rules and thresholds, and
 * beside it what came afterwards (evaluation protocol, section 2). Throws what a forecast throws.
 */
export async function* replayTicks(
  forecaster: Pick<Forecaster, 'forecast'>,
  series: TickSeries,
  options: ReplayOptions,
  origins = replayOrigins(series, options),
): AsyncGenerator<ReplayedWindow> {
  const { ticks, horizonUs, minMoveBps, modelId } = options;
  for (const origin of origins) {
    const from = origin + 1 - ticks;
    const window = { timesUs: series.timesUs.subarray(from, origin + 1), prices: series.prices.subarray(from, origin + 1) };
    const timeUs = series.timesUs[origin]!;
    const { mark, detail } = await forecaster.forecast(
      { series: window, futureUs: timeUs + horizonUs },
      {
        detail: true,
        counterfactual: false,
        ...(minMoveBps === undefined ? {} : { minMoveBps }),
        ...(modelId === undefined ? {} : { modelId }),
      },
    );
    if (detail === null) throw new Error(`no detail at ${formatTimestamp(timeUs, 6)}`);
    const { opportunity, logit, reasons, input } = detail;
    const gapS = sessionGapS((input.median_gap_ms ?? 0) / 1000);
    yield {
      timeUs,
      price: series.prices[origin]!,
      mark,
      reasons: reasons.map(({ code }) => code),
      probability: opportunity.probability,
      baselineProbability: logit === null ? null : logistic(logit.baseline),
      minMoveBps: opportunity.min_move_bps,
      ...outcomeOf(series, origin, { horizonS: horizonUs / US_PER_SECOND, gapS, minMoveBps: opportunity.min_move_bps }),
    };
  }
}

function outcomeOf(
  series: TickSeries,
  origin: number,
  { horizonS, gapS, minMoveBps }: { horizonS: number; gapS: number; minMoveBps: number | null },
): Pick<ReplayedWindow, 'moveBps' | 'outcome'> {
  const label = labelOrigin(series, origin, horizonS, gapS);
  if (label.status === 'dropped') return { moveBps: null, outcome: label.why };
  const moveBps = label.move * BPS_PER_UNIT;
  if (minMoveBps === null) return { moveBps, outcome: 'no_threshold' };
  return { moveBps, outcome: Math.abs(moveBps) > minMoveBps ? 1 : 0 };
}
