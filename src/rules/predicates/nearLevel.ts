import { grade } from '../grade.ts';
import { UNKNOWN, type Judgement, type RuleContext } from '../Predicate.ts';
import type { SwingLevel } from '../swingLevels.ts';

/** Expected moves between the last price and a level: at 0.5 it is near, at 2 it is not. */
const NEAR = 0.5;
const FAR = 2;

/**
 * How near a level is: d = |level| / (sigma(600) sqrt(H)). The level is known to its own half width or half the cost
 * floor; and the fewer its touches the less sure it is one at all, so the lower bound is scaled by 1 - 2^-touches.
 * No level on that side in the window: unknown, since older ticks may hold one.
 */
export function nearLevel({ measures }: RuleContext, level: SwingLevel | undefined): Judgement {
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
