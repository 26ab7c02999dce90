import type { WindowMeasures } from '../features/WindowMeasures.ts';
import { pathSums, type PathSums } from './pathSums.ts';
import type { RuleContext } from './Predicate.ts';
import { swingLevels, type SwingLevels } from './swingLevels.ts';

/** Computes levels and sums at first use, because few rules need them. */
class WindowContext implements RuleContext {
  readonly measures: WindowMeasures;
  readonly theta: number;
  #levels: SwingLevels | undefined;
  #path: PathSums | undefined;

  constructor(measures: WindowMeasures, theta: number) {
    this.measures = measures;
    this.theta = theta;
  }

  get levels(): SwingLevels {
    return (this.#levels ??= swingLevels(this.measures));
  }

  get path(): PathSums {
    return (this.#path ??= pathSums(this.measures));
  }
}

/** Input of the predicates for a window and a threshold (log price). Valid until the memory of `measures` is written to. */
export function ruleContext(measures: WindowMeasures, theta: number): RuleContext {
  return new WindowContext(measures, theta);
}
