import type { WindowMeasures } from '../features/WindowMeasures.ts';
import { pathSums } from './pathSums.ts';
import type { RuleContext } from './Predicate.ts';
import { swingLevels } from './swingLevels.ts';

/** Everything that predicates may look at, worked out once for a window and a threshold (log price). */
export function ruleContext(measures: WindowMeasures, theta: number): RuleContext {
  return { measures, theta, levels: swingLevels(measures), path: pathSums(measures) };
}
