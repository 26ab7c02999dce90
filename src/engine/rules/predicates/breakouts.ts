import { UNKNOWN, type PredicateResult, type RuleContext, type Predicate } from '../Predicate.ts';
import { grade } from './grading.ts';

/**
 * Distance of the last price beyond the highest (side 1) or lowest (side -1) price older than H' = min(H, W/20):
 * v = side * (0 - extreme) / (sigma(600) sqrt(H')), false at 0 and true at 1. Bounce makes both prices uncertain
 * by half the estimated cost.
 */
function beyondExtreme({ measures, path }: RuleContext, side: 1 | -1): PredicateResult {
  const recentS = Math.min(measures.horizonS, measures.windowS / 20);
  const scale = measures.sigmas[2] * Math.sqrt(recentS);
  if (!(scale > 0)) return UNKNOWN;
  const extreme = side === 1 ? path.olderHigh : -path.olderLow;
  if (extreme === -Infinity) return UNKNOWN;
  const value = -extreme / scale;
  const slack = measures.cost / 2 / scale;
  return {
    lower: grade(value - slack, 0, 1),
    upper: grade(value + slack, 0, 1),
    value,
    numbers: { price: measures.lastPrice * Math.exp(side * extreme) },
  };
}

/** The last price is a new high of the window; formula in `beyondExtreme`. */
export const breakoutUp: Predicate = {
  name: 'breakout_up',
  about: 'The last price is above every price of the window except the most recent ones.',
  unit: 'expected moves over the recent part',
  numbers: ['price'],
  evaluate: (context) => beyondExtreme(context, 1),
};

/** The last price is a new low of the window; formula in `beyondExtreme`. */
export const breakoutDown: Predicate = {
  name: 'breakout_down',
  about: 'The last price is below every price of the window except the most recent ones.',
  unit: 'expected moves over the recent part',
  numbers: ['price'],
  evaluate: (context) => beyondExtreme(context, -1),
};

/**
 * The price passed an earlier extreme and came back. With R = min(2 H, W/10): the high (low) of the last R seconds is beyond the older
 * high (low) by `past`, and the last price is inside it by `back`. Value = min(past, back) / (sigma(600) sqrt(R)), the larger of both
 * sides; false at 0, true at 0.5. Bounce makes both uncertain by half the estimated cost. Unit: expected moves over R; > 0 is a failed high.
 */
export const failedBreakout: Predicate = {
  name: 'failed_breakout',
  about: 'The price passed an earlier high or low and has returned inside.',
  unit: 'expected moves over the recent part',
  numbers: ['price'],
  evaluate({ measures }) {
    const { timesS, logPrices, lastPrice } = measures;
    const recentS = Math.min(2 * measures.horizonS, measures.windowS / 10);
    const scale = measures.sigmas[2] * Math.sqrt(recentS);
    if (!(scale > 0)) return UNKNOWN;
    let [oldHigh, oldLow, high, low] = [-Infinity, Infinity, -Infinity, Infinity];
    for (let i = 0; i < logPrices.length; i++) {
      const logPrice = logPrices[i];
      if (timesS[i] < -recentS) {
        if (logPrice > oldHigh) oldHigh = logPrice;
        if (logPrice < oldLow) oldLow = logPrice;
      } else {
        if (logPrice > high) high = logPrice;
        if (logPrice < low) low = logPrice;
      }
    }
    if (oldHigh === -Infinity || high === -Infinity) return UNKNOWN;
    const above = Math.min(high - oldHigh, oldHigh) / scale;
    const below = Math.min(oldLow - low, -oldLow) / scale;
    const size = Math.max(above, below);
    const slack = measures.cost / 2 / scale;
    return {
      lower: grade(size - slack, 0, 0.5),
      upper: grade(size + slack, 0, 0.5),
      value: above >= below ? above : -below,
      numbers: { price: lastPrice * Math.exp(above >= below ? oldHigh : oldLow) },
    };
  },
};
