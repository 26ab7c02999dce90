import type { Predicate } from './Predicate.ts';
import { acceleration } from './predicates/acceleration.ts';
import { breakoutDown } from './predicates/breakoutDown.ts';
import { breakoutUp } from './predicates/breakoutUp.ts';
import { constantStretch } from './predicates/constantStretch.ts';
import { costAboveMove } from './predicates/costAboveMove.ts';
import { costAboveThreshold } from './predicates/costAboveThreshold.ts';
import { efficiencyRatio } from './predicates/efficiencyRatio.ts';
import { emaDifference } from './predicates/emaDifference.ts';
import { failedBreakout } from './predicates/failedBreakout.ts';
import { fewDistinctTicks } from './predicates/fewDistinctTicks.ts';
import { horizonBeyondWindow } from './predicates/horizonBeyondWindow.ts';
import { imbalance } from './predicates/imbalance.ts';
import { jumpShare } from './predicates/jumpShare.ts';
import { momentumSlope } from './predicates/momentumSlope.ts';
import { outlierTick } from './predicates/outlierTick.ts';
import { persistence } from './predicates/persistence.ts';
import { rateOfChange } from './predicates/rateOfChange.ts';
import { recentExtremeNear } from './predicates/recentExtremeNear.ts';
import { resistanceNear } from './predicates/resistanceNear.ts';
import { reversals } from './predicates/reversals.ts';
import { roundNumberNear } from './predicates/roundNumberNear.ts';
import { sessionGapCut } from './predicates/sessionGapCut.ts';
import { sparseAhead } from './predicates/sparseAhead.ts';
import { stale } from './predicates/stale.ts';
import { supportNear } from './predicates/supportNear.ts';
import { thresholdFar } from './predicates/thresholdFar.ts';
import { tickBurst } from './predicates/tickBurst.ts';
import { varianceRatio } from './predicates/varianceRatio.ts';
import { volatilityExpansion } from './predicates/volatilityExpansion.ts';
import { volatilitySqueeze } from './predicates/volatilitySqueeze.ts';
import { windowExtremeNear } from './predicates/windowExtremeNear.ts';

/** Every predicate that a rule set may name. */
export const PREDICATES: readonly Predicate[] = [
  acceleration,
  breakoutDown,
  breakoutUp,
  constantStretch,
  costAboveMove,
  costAboveThreshold,
  efficiencyRatio,
  emaDifference,
  failedBreakout,
  fewDistinctTicks,
  horizonBeyondWindow,
  imbalance,
  jumpShare,
  momentumSlope,
  outlierTick,
  persistence,
  rateOfChange,
  recentExtremeNear,
  resistanceNear,
  reversals,
  roundNumberNear,
  sessionGapCut,
  sparseAhead,
  stale,
  supportNear,
  thresholdFar,
  tickBurst,
  varianceRatio,
  volatilityExpansion,
  volatilitySqueeze,
  windowExtremeNear,
];

export function findPredicate(name: string): Predicate | undefined {
  return PREDICATES.find((predicate) => predicate.name === name);
}
