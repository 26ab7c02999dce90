import { grade } from '../grade.ts';
import { UNKNOWN, type PredicateResult, type RuleContext } from '../Predicate.ts';

/**
 * Distance of the last price to the nearer of the highest and lowest price of the last `spanS` seconds, over sigma(600) sqrt(H):
 * true at 0.25, false at 1. Bounce makes the distance uncertain by half the minimum cost.
 */
export function nearExtreme({ measures, path }: RuleContext, spanS: number): PredicateResult {
  const scale = measures.sigmaHorizon;
  const { timesS, logPrices } = measures;
  if (!(scale > 0) || logPrices.length < 2) return UNKNOWN;
  let { high, low } = path;
  if (spanS < measures.windowS) {
    high = 0;
    low = 0;
    for (let i = logPrices.length - 1; i >= 0 && (timesS[i] as number) >= -spanS; i--) {
      const logPrice = logPrices[i] as number;
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
