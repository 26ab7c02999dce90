import type { ForecastOptions } from '../../contract/forecastOptions.ts';
import type { ChanceAbove, RangeBand, TouchAnswer } from '../../contract/outlook.ts';
import { roundTo } from '../../core/roundTo.ts';
import { BPS_PER_UNIT } from '../../core/units.ts';
import { NO_RANGES, RANGE_LEVELS, type RangeOutcomes, correctionOf } from '../memory/ranges.ts';
import { logOdds, sigmoid } from '../scoring/logOdds.ts';
import type { MemoryReason, NullReason } from '../../contract/reasons.ts';
import type { ThresholdCurve } from './thresholdCurve.ts';
import { distanceOf, touchAnswer, touchBeyond, touchesToRemember, touchSides, type TouchWindow } from './touch.ts';
import { NO_TOUCHES, touchPart, type TouchQuestion } from '../memory/TouchOutcomes.ts';

/** What a caller wants to know besides the mark. */
type OutlookOptions = Pick<ForecastOptions, 'range' | 'above' | 'touch' | 'touchBy' | 'first'>;

export type Outlook = {
  readonly range?: RangeBand[];
  readonly above?: ChanceAbove;
  readonly touch?: TouchAnswer;
  /** Why the memory of the series was not used. */
  readonly memory_unused?: MemoryReason;
};

/** A scored window: the curves of its probability to the low and the high end of the trained thresholds. */
export type OutlookWindow = TouchWindow & {
  /** Null: a row of the network was refused. */
  readonly sides: readonly [low: ThresholdCurve | null, high: ThresholdCurve | null];
  /** theta*, log price. */
  readonly thetaDefault: number;
  readonly lastPrice: number;
  /** Outcomes of the ranges of the series; undefined: it has no memory. */
  readonly outcomes: RangeOutcomes | undefined;
};

/** `distanceOf`: of the range that has the chance of a move; absent: the move. */
type BandWindow = Pick<OutlookWindow, 'sides' | 'thetaDefault' | 'lastPrice' | 'outcomes'> & {
  readonly distanceOf?: (move: number) => number;
};

/** Prices have as many digits as a feed has. */
const PRICE_DIGITS = 10;
const priceOf = (value: number): number => roundTo(value, PRICE_DIGITS);

/** Chance that a move is beyond the range of this level. */
const moveBeyond = (level: number): number => 1 - level;

/** The move, log price, that is passed with the probability `beyond`; null beyond the trained thresholds. */
function quantile({ sides: [low, high], thetaDefault, distanceOf: of = (move) => move }: BandWindow, beyond: number): number | null {
  const logit = logOdds(beyond);
  const side = (low ?? high)?.start ?? NaN;
  // Where the probability at theta* is above it, larger moves are.
  const crossing = (side >= logit ? high : low)?.crossing(logit) ?? null;
  return crossing === null ? null : of(thetaDefault * Math.exp(crossing));
}

/**
 * For each level the range around the last price that the move stays in with this probability, corrected by the outcomes of the series. Beyond
 * the trained thresholds there is none. Wider for higher levels.
 */
function rangesOf(window: BandWindow, levels: readonly number[], beyond = moveBeyond): RangeBand[] {
  const { lastPrice, outcomes = NO_RANGES } = window;
  const corrected = correctionOf(
    outcomes,
    RANGE_LEVELS.map((level) => quantile(window, beyond(level)) ?? NaN),
  );
  return levels.map((level) => {
    const asked = quantile(window, beyond(level));
    if (asked === null) return untrained(level, 'range_untrained');
    const move = corrected(asked);
    const kept = RANGE_LEVELS.findIndex((one) => one === level);
    const seen = outcomes.outcomes[kept] ?? 0;
    return {
      level,
      move_bps: move * BPS_PER_UNIT,
      low: priceOf(lastPrice * Math.exp(-move)),
      high: priceOf(lastPrice * Math.exp(move)),
      reason: null,
      coverage: seen === 0 ? null : { outcomes: seen, covered: outcomes.covered[kept] / seen },
    };
  });
}

/** The ranges that the extremes stay in. */
function reachOf(window: OutlookWindow): RangeBand[] {
  const { sides, facts, touches = NO_TOUCHES } = window;
  const touched = touchSides(sides, facts, (logit) => touchPart(touches, logit));
  const reach = { ...window, sides: touched, outcomes: window.touches?.reach, distanceOf: (move: number) => distanceOf(move, facts) };
  return rangesOf(reach, RANGE_LEVELS, touchBeyond);
}

/** Log price, NaN where there is none. */
const sizesOf = (bands: readonly RangeBand[]): number[] => bands.map(({ move_bps: bps }) => (bps === null ? NaN : bps / BPS_PER_UNIT));

/** What the memory of the series remembers: of the ranges and touches that are asked for, because they count where they are asked for. */
export function outlookToRemember(
  window: OutlookWindow,
  asked: OutlookOptions,
): { readonly ranges?: readonly number[]; readonly touches?: TouchQuestion } {
  return {
    ...(wantsRanges(asked) ? { ranges: sizesOf(rangesOf(window, RANGE_LEVELS)) } : {}),
    ...(asked.touch === undefined ? {} : { touches: touchesToRemember(window, sizesOf(reachOf(window))) }),
  };
}

/**
 * The probability that the price is above `price` at the future timestamp. Moves up and down are equally likely: no direction is claimed. At the
 * last price it is 0.5.
 */
function chanceAbove({ sides: [low, high], thetaDefault, lastPrice }: OutlookWindow, price: number): ChanceAbove {
  const move = Math.log(price / lastPrice);
  if (move === 0) return { price, probability: 0.5, reason: null };
  const logRatio = Math.log(Math.abs(move) / thetaDefault);
  const side = logRatio < 0 ? low : high;
  // Below the trained thresholds the curve goes on; above them it ends.
  if (side === null || (side === high && logRatio > side.reach)) return { price, probability: null, reason: 'range_untrained' };
  const beyond = sigmoid(side.at(logRatio)) / 2;
  return { price, probability: move > 0 ? beyond : 1 - beyond, reason: null };
}

/** Reasons of a null that say nothing against the probabilities of other thresholds. */
const CAN_BE_MEASURED: ReadonlySet<string> = new Set(['below_threshold', 'head_abstains', 'rate_unknown', 'threshold_untrained']);

const wantsRanges = ({ range = [] }: OutlookOptions): boolean => range.length > 0;
export const wantsOutlook = (options: OutlookOptions): boolean =>
  wantsRanges(options) || options.above !== undefined || options.touch !== undefined;

/** What was asked, unless a reason of the null says that the probabilities mean nothing. */
export function outlookOf(window: OutlookWindow, asked: OutlookOptions, reasons: readonly { readonly code: NullReason }[]): Outlook {
  const refusal = reasons.find(({ code }) => !CAN_BE_MEASURED.has(code));
  if (refusal !== undefined) return noOutlook(asked, refusal.code);
  return {
    ...(wantsRanges(asked) ? { range: rangesOf(window, asked.range!) } : {}),
    ...(asked.above === undefined ? {} : { above: chanceAbove(window, asked.above) }),
    ...(asked.touch === undefined ? {} : { touch: touchAnswer(window, asked, reachOf(window)) }),
  };
}

const untrained = (level: number, reason: NullReason | 'range_untrained'): RangeBand => ({
  ...{ level, move_bps: null, low: null, high: null },
  ...{ reason, coverage: null },
});

/** Ranges and chances of a window whose probabilities say nothing. */
export function noOutlook({ range = [], above, touch, touchBy, first }: OutlookOptions, reason: NullReason): Outlook {
  return {
    ...(range.length === 0 ? {} : { range: range.map((level) => untrained(level, reason)) }),
    ...(above === undefined ? {} : { above: { price: above, probability: null, reason } }),
    ...(touch === undefined ? {} : { touch: { by: touchBy, ...noTouch(touch, first === true, reason) } }),
  };
}

const noTouch = (prices: readonly number[], first: boolean, reason: NullReason): TouchAnswer => ({
  levels: prices.map((price) => ({
    price,
    probability: null,
    version_probability: null,
    baseline_probability: null,
    ...(first ? { first: null } : {}),
    reason,
  })),
  outcomes: 0,
  reach: RANGE_LEVELS.map((level) => untrained(level, reason)),
  ...(first ? { neither: null } : {}),
});
