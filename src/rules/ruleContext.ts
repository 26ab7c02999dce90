import type { WindowMeasures } from '../features/WindowMeasures.ts';
import { pathSums, type PathSums } from './pathSums.ts';
import type { RuleContext } from './Predicate.ts';
import { swingLevels, type SwingLevels } from './swingLevels.ts';

/** Works out levels and sums where they are first asked for: few rules need either. */
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

/** Everything that predicates may look at, for a window and a threshold (log price). Good as long as the memory of `measures` is not written to. */
export function ruleContext(measures: WindowMeasures, theta: number): RuleContext {
  return new WindowContext(measures, theta);
}
