import type { ForecastOptions } from '../../contract/forecastOptions.ts';
import type { RangeBand, TouchAnswer } from '../../contract/outlook.ts';
import { chanceOfEach, firstReached } from '../scoring/firstPassage.ts';
import { midAt } from '../features/Touches.ts';
import { RANGE_LEVELS } from '../memory/ranges.ts';
import { NO_TOUCHES, TOUCH_DISTANCES, touchLine, type TouchOutcomes, touchPart, type TouchQuestion } from '../memory/TouchOutcomes.ts';
import { sigmoid } from '../scoring/logOdds.ts';
import { normalTail } from '../scoring/normal.ts';
import type { ThresholdCurve } from './thresholdCurve.ts';

/** What decides how often a price reaches a level that it does not end beyond. */
export type TouchFacts = {
  readonly horizonS: number;
  /** Median time between prices; 0 for bars with high and low, which miss nothing. */
  readonly gapS: number;
  /** How far prices jump to and fro, log price, and sigma(600) sqrt(H). */
  readonly noise: number;
  readonly sigma: number;
};

/**
 * From the log-odds that a move ends beyond a distance, which are those of touching it for a price without drift and noise, to the log-odds of a
 * touch: sparse prices pass a level unseen, and prices that jump to and fro reach it more often than they stay beyond it. Fitted to ticks of all
 * groups of the base, which were also left out one after the other (docs/benchmarks/touch.md).
 */
const TOUCH_LINE = [-0.081, 0.802, -0.032, -2.007, 0.387] as const;
/** Beyond, log-odds no longer count in the square, so that the result still falls with them. */
const MOST_LOG_ODDS = 6;
const MOST_NOISE = 2;

/** Nearer levels have the chance of this move, log price. */
const LEAST_MOVE = 1e-9;
/** Of the square root of the time between prices over the horizon: fitted as TOUCH_LINE, to levels from 0.02 standard deviations. */
const HIDDEN = 1.25;

/** Log price. Prices that come seldom pass near levels unseen, so that none is nearer than this. */
const hiddenMove = ({ gapS, horizonS, sigma }: TouchFacts): number => HIDDEN * sigma * Math.sqrt(gapS / horizonS);
/** The move that has the chance of a level at this distance, and back. */
const seenMove = (distance: number, facts: TouchFacts): number => Math.hypot(distance, hiddenMove(facts));
export const distanceOf = (move: number, facts: TouchFacts): number => Math.sqrt(Math.max(0, move ** 2 - hiddenMove(facts) ** 2));

/** Inputs of the line. */
function touchInputs(endLogOdds: number, { horizonS, gapS, noise, sigma }: TouchFacts): number[] {
  const z = Math.min(MOST_LOG_ODDS, Math.max(-MOST_LOG_ODDS, endLogOdds));
  return [1, z, z * z, Math.min(1, Math.sqrt(gapS / horizonS)), Math.min(MOST_NOISE, noise / sigma)];
}

/** What bars with high and low add to the slope: for 5 min, and by which it rises up to 2 h. Fitted to the files of the base as bars of one minute. */
const BAR_SLOPE = [0.09, 0.045] as const;
const BAR_HORIZONS_S = [300, 7200] as const;

/** Without the weights of the series. */
function touchLogOdds(endLogOdds: number, facts: TouchFacts): number {
  const touched = touchInputs(endLogOdds, facts).reduce((sum, input, at) => sum + input * TOUCH_LINE[at], 0);
  if (facts.gapS > 0) return touched;
  const [from, to] = BAR_HORIZONS_S;
  return touched + (BAR_SLOPE[0] + BAR_SLOPE[1] * Math.log(Math.min(to, Math.max(from, facts.horizonS)) / from)) * touchLine(touched)[1];
}

type Sides = readonly [low: ThresholdCurve | null, high: ThresholdCurve | null];

/** A window, with the curves of the chance of a touch in place of those of the move. */
export type TouchWindow = {
  readonly sides: Sides;
  readonly thetaDefault: number;
  readonly lastPrice: number;
  /** Undefined: the series has no memory. */
  readonly touches: TouchOutcomes | undefined;
  readonly facts: TouchFacts;
  /** Of its last quote; undefined or NaN: it has none. */
  readonly spreadBps?: number | undefined;
};

/** The curves of the chance to touch one level by its distance; `part`: what the series adds. */
export const touchSides = ([low, high]: Sides, facts: TouchFacts, part: (touched: number) => number = () => 0): Sides => {
  const change = (end: number): number => {
    const touched = touchLogOdds(end, facts);
    return touched + part(touched);
  };
  return [low?.mapped(change) ?? null, high?.mapped(change) ?? null];
};

/** What the memory of the series remembers; `reach`: the ranges of the extremes, log price. */
export function touchesToRemember({ sides, thetaDefault, facts }: TouchWindow, reach: readonly number[]): TouchQuestion {
  const plain = touchSides(sides, facts);
  const logOddsAt = TOUCH_DISTANCES.map(
    (distance) => logOddsOf(plain, Math.log(seenMove(distance * facts.sigma, facts) / thetaDefault)) ?? NaN,
  );
  return { sigma: facts.sigma, logOdds: logOddsAt, reach };
}

/** Null: unknown. Below the trained thresholds the curve goes on; above them it ends. */
function logOddsOf([low, high]: Sides, logRatio: number): number | null {
  const side = logRatio < 0 ? low : high;
  return side === null || (side === high && logRatio > side.reach) ? null : side.at(logRatio);
}

/** One of the chances that each of two levels at the same distance has where either is reached with 1 - level. */
const EACH = RANGE_LEVELS.map((level) => chanceOfEach(1 - level));
export const touchBeyond = (level: number): number => EACH[RANGE_LEVELS.findIndex((one) => one === level)];

type TouchOptions = Pick<ForecastOptions, 'touch' | 'touchBy' | 'first'>;

/** `reach`: the ranges of the extremes. */
export function touchAnswer(
  window: TouchWindow,
  { touch: prices = [], touchBy, first: wantsFirst }: TouchOptions,
  reach: RangeBand[],
): TouchAnswer {
  const { touches = NO_TOUCHES, lastPrice, thetaDefault, facts, spreadBps } = window;
  const plain = touchSides(window.sides, facts);
  const corrected = touchSides(window.sides, facts, (touched) => touchPart(touches, touched));
  const moveTo = (price: number): number => {
    const isAbove = price >= lastPrice;
    const mid = midAt(price, isAbove, touchBy, spreadBps);
    return isAbove ? Math.log(mid / lastPrice) : Math.log(lastPrice / mid);
  };
  const at = (of: Sides, move: number): number | null => {
    if (touchBy === 'stop' && move <= 0) return 1;
    const logit = logOddsOf(of, Math.log(Math.max(LEAST_MOVE, seenMove(move, facts)) / thetaDefault));
    return logit === null ? null : sigmoid(logit);
  };
  const levels = prices.map((price) => {
    const move = moveTo(price);
    const probability = at(corrected, move);
    return {
      price,
      probability,
      version_probability: at(plain, move),
      baseline_probability: probability === null ? null : Math.min(1, 2 * normalTail(move / facts.sigma)),
      reason: probability === null ? ('range_untrained' as const) : null,
    };
  });
  // Without bid and ask the price reaches them, whatever waits there.
  const by = touchBy ?? (spreadBps! >= 0 ? ('limit' as const) : undefined);
  const answer = { by, outcomes: touches.weights.outcomes, reach };
  if (wantsFirst !== true) return { levels, ...answer };
  const chances = levels.map(({ probability }) => probability);
  const { first, neither } = firstOf(prices, chances, lastPrice);
  return { levels: levels.map((level, i) => ({ ...level, first: first[i] })), ...answer, neither };
}

type First = { readonly first: readonly (number | null)[]; readonly neither: number | null };

/** Of two levels. On one side, the nearer one is reached first. */
function firstOf(prices: readonly number[], chances: readonly (number | null)[], lastPrice: number): First {
  const [one, other] = chances as [number | null, number | null];
  // Two stops that are triggered already are so at once.
  if (one === null || other === null || one + other === 2) return { first: [null, null], neither: null };
  const isAbove = prices.map((price) => price >= lastPrice) as [boolean, boolean];
  if (isAbove[0] === isAbove[1]) {
    const isFirst = Math.abs(prices[0] - lastPrice) <= Math.abs(prices[1] - lastPrice);
    return isFirst ? { first: [one, 0], neither: 1 - one } : { first: [0, other], neither: 1 - other };
  }
  const { upper, lower, neither } = isAbove[0] ? firstReached(one, other) : firstReached(other, one);
  return { first: isAbove[0] ? [upper, lower] : [lower, upper], neither };
}
