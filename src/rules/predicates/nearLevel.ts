import { grade } from '../grade.ts';
import { UNKNOWN, type PredicateResult, type RuleContext } from '../Predicate.ts';
import type { SwingLevel } from '../swingLevels.ts';

/** Expected moves between the last price and a level: near at 0.5, not near at 2. */
const NEAR = 0.5;
const FAR = 2;

/**
 * Distance of a level in expected moves, d = |level| / (sigma(600) sqrt(H)). The level is uncertain by its half width or by half the
 * minimum cost. A level with few touches is less certain, so the lower bound is scaled by 1 - 2^-touches.
 * Unknown if the window has no level on that side, because older ticks may contain one.
 */
export function nearLevel({ measures }: RuleContext, level: SwingLevel | undefined): PredicateResult {
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
