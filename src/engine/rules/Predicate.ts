import type { WindowMeasures } from '../features/WindowMeasures.ts';
import { type PathSums, pathSums } from './pathSums.ts';
import { type SwingLevels, swingLevels } from './swingLevels.ts';

/** Input of a predicate. Everything is relative to the last price, so one rule set fits every market. */
export type RuleContext = {
  readonly measures: WindowMeasures;
  /** Requested threshold, log price. */
  readonly theta: number;
  readonly levels: SwingLevels;
  readonly path: PathSums;
};

/** Truth interval of a predicate, 0 <= lower <= upper <= 1, and the quantity from which it was computed. */
export type PredicateResult = {
  readonly lower: number;
  readonly upper: number;
  /** In the unit of the predicate; null if it cannot be computed (the truth is then [0, 1]). */
  readonly value: number | null;
  /** Further numbers for a rule's text, named by the predicate's `numbers`. */
  readonly numbers?: Readonly<Record<string, number>>;
};

/** A graded statement about a window: pure, finite, never throws. */
export type Predicate = {
  readonly name: string;
  /** One sentence that says when it is true. */
  readonly about: string;
  /** Unit of `value`. */
  readonly unit: string;
  /** Names of further numbers for texts: `{name.number}`; `{name}` is the value. */
  readonly numbers?: readonly string[];
  evaluate(context: RuleContext): PredicateResult;
};

/** The result if the truth cannot be determined. */
export const UNKNOWN: PredicateResult = { lower: 0, upper: 1, value: null };

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
