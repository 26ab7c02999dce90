import type { Predicate } from './Predicate.ts';
import { breakoutDown } from './predicates/breakoutDown.ts';
import { breakoutUp } from './predicates/breakoutUp.ts';
import { constantStretch } from './predicates/constantStretch.ts';
import { costAboveMove } from './predicates/costAboveMove.ts';
import { emaDifference } from './predicates/emaDifference.ts';
import { fewDistinctTicks } from './predicates/fewDistinctTicks.ts';
import { momentumSlope } from './predicates/momentumSlope.ts';
import { outlierTick } from './predicates/outlierTick.ts';
import { resistanceNear } from './predicates/resistanceNear.ts';
import { sessionGapCut } from './predicates/sessionGapCut.ts';
import { stale } from './predicates/stale.ts';
import { supportNear } from './predicates/supportNear.ts';
import { thresholdFar } from './predicates/thresholdFar.ts';
import { volatilityExpansion } from './predicates/volatilityExpansion.ts';

/** Every predicate that a rule set may name. */
export const PREDICATES: readonly Predicate[] = [
  breakoutDown,
  breakoutUp,
  constantStretch,
  costAboveMove,
  emaDifference,
  fewDistinctTicks,
  momentumSlope,
  outlierTick,
  resistanceNear,
  sessionGapCut,
  stale,
  supportNear,
  thresholdFar,
  volatilityExpansion,
];

export function findPredicate(name: string): Predicate | undefined {
  return PREDICATES.find((predicate) => predicate.name === name);
}
