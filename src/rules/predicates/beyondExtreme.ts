import { grade } from '../grade.ts';
import { UNKNOWN, type PredicateResult, type RuleContext } from '../Predicate.ts';

/**
 * Distance of the last price beyond the highest (side 1) or lowest (side -1) price older than H' = min(H, W/20):
 * v = side * (0 - extreme) / (sigma(600) sqrt(H')), false at 0 and true at 1. Bounce makes both prices uncertain
 * by half the minimum cost.
 */
export function beyondExtreme({ measures, path }: RuleContext, side: 1 | -1): PredicateResult {
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
