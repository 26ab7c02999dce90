import { UNKNOWN, type PredicateResult, type RuleContext, type Predicate } from '../Predicate.ts';
import { grade } from './grading.ts';
import type { SwingLevel } from '../swingLevels.ts';

/** Expected moves between the last price and a level: near at 0.5, not near at 2. */
const NEAR = 0.5;
const FAR = 2;

/**
 * Distance of a level in expected moves, d = |level| / (sigma(600) sqrt(H)). The level is uncertain by its half width or by half the
 * estimated cost. A level with few touches is less certain, so the lower bound is scaled by 1 - 2^-touches.
 * Unknown if the window has no level on that side, because older ticks may contain one.
 */
function nearLevel({ measures }: RuleContext, level: SwingLevel | undefined): PredicateResult {
  const scale = measures.sigmaHorizon;
  if (level === undefined || !(scale > 0)) return UNKNOWN;
  const distance = Math.abs(level.logPrice) / scale;
  const slack = Math.max(level.halfWidth, measures.cost / 2) / scale;
  return {
    lower: grade(distance + slack, FAR, NEAR) * (1 - 2 ** -level.touches),
    upper: grade(distance - slack, FAR, NEAR),
    value: distance,
    numbers: { price: measures.lastPrice * Math.exp(level.logPrice), touches: level.touches },
  };
}

/** The nearest swing level below the last price is within an expected move; formula in `nearLevel`. */
export const supportNear: Predicate = {
  name: 'support_near',
  about: 'A level at which earlier swings reversed lies below the last price, within an expected move.',
  unit: 'expected moves',
  numbers: ['price', 'touches'],
  evaluate: (context) => nearLevel(context, context.levels.supports[0]),
};

/** The nearest swing level above the last price is within an expected move; formula in `nearLevel`. */
export const resistanceNear: Predicate = {
  name: 'resistance_near',
  about: 'A level at which earlier swings reversed lies at or above the last price, within an expected move.',
  unit: 'expected moves',
  numbers: ['price', 'touches'],
  evaluate: (context) => nearLevel(context, context.levels.resistances[0]),
};

/**
 * Distance of the last price to the nearer of the highest and lowest price of the last `spanS` seconds, over sigma(600) sqrt(H):
 * true at 0.25, false at 1. Bounce makes the distance uncertain by half the estimated cost.
 */
function nearExtreme({ measures, path }: RuleContext, spanS: number): PredicateResult {
  const scale = measures.sigmaHorizon;
  const { timesS, logPrices } = measures;
  if (!(scale > 0) || logPrices.length < 2) return UNKNOWN;
  let { high, low } = path;
  if (spanS < measures.windowS) {
    high = 0;
    low = 0;
    for (let i = logPrices.length - 1; i >= 0 && timesS[i] >= -spanS; i--) {
      const logPrice = logPrices[i];
      if (logPrice > high) high = logPrice;
      else if (logPrice < low) low = logPrice;
    }
  }
  const isHigh = high <= -low;
  const value = (isHigh ? high : -low) / scale;
  const slack = measures.cost / 2 / scale;
  return {
    lower: grade(value + slack, 1, 0.25),
    upper: grade(value - slack, 1, 0.25),
    value,
    numbers: { price: measures.lastPrice * Math.exp(isHigh ? high : low) },
  };
}

/** Length of the sub-window in horizons. */
const HORIZONS = 5;

/** The last price is near the high or low of the last 5 H seconds; formula in `nearExtreme`. Unknown if the window is shorter than 10 H. */
export const recentExtremeNear: Predicate = {
  name: 'recent_extreme_near',
  about: 'The highest or lowest price of the last five horizons is within an expected move.',
  unit: 'expected moves',
  numbers: ['price'],
  evaluate(context) {
    const spanS = HORIZONS * context.measures.horizonS;
    return spanS < context.measures.windowS / 2 ? nearExtreme(context, spanS) : UNKNOWN;
  },
};

/** The last price is near the window's high or low; formula in `nearExtreme`. */
export const windowExtremeNear: Predicate = {
  name: 'window_extreme_near',
  about: 'The highest or lowest price of the window is within an expected move.',
  unit: 'expected moves',
  numbers: ['price'],
  evaluate: (context) => nearExtreme(context, Infinity),
};

/** A round number is a multiple of the smallest power of ten that is at least this many expected moves. */
const MOVES = 8;

/**
 * Orders cluster at round numbers (Osler 2003). Distance of the last price P to the nearest multiple of 10^ceil(log10(8 P s)), over P s,
 * with s = sigma(600) sqrt(H): true at 0.25, false at 1, so that a random price is near at most one time in four. Bounce makes it
 * uncertain by half the estimated cost. Unit: expected moves.
 */
export const roundNumberNear: Predicate = {
  name: 'round_number_near',
  about: 'A round price is within an expected move.',
  unit: 'expected moves',
  numbers: ['price'],
  evaluate({ measures }) {
    const { lastPrice, sigmaHorizon, cost } = measures;
    const move = lastPrice * sigmaHorizon;
    if (!(move > 0) || !Number.isFinite(move)) return UNKNOWN;
    // Slightly less, so that a scale of exactly a power of ten does not depend on the last bit.
    const step = 10 ** Math.ceil(Math.log10(MOVES * move) - 1e-9);
    const price = Math.round(lastPrice / step) * step;
    const value = Math.abs(lastPrice - price) / move;
    const slack = cost / 2 / sigmaHorizon;
    return { lower: grade(value + slack, 1, 0.25), upper: grade(value - slack, 1, 0.25), value, numbers: { price } };
  },
};
