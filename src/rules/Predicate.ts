import type { WindowMeasures } from '../features/WindowMeasures.ts';
import type { PathSums } from './pathSums.ts';
import type { SwingLevels } from './swingLevels.ts';

/** What a predicate may look at. Everything is relative to the last price, so one rule set serves every market. */
export type RuleContext = {
  readonly measures: WindowMeasures;
  /** Threshold of the question, log price. */
  readonly theta: number;
  readonly levels: SwingLevels;
  readonly path: PathSums;
};

/** Truth interval of a predicate, 0 <= lower <= upper <= 1, with the quantity that it was read from. */
export type Judgement = {
  readonly lower: number;
  readonly upper: number;
  /** In the unit of the predicate; null where it cannot be computed (the truth is then [0, 1]). */
  readonly value: number | null;
  /** Further numbers for a rule's text, named by the predicate's `numbers`. */
  readonly numbers?: Readonly<Record<string, number>>;
};

/** A graded statement about a window: pure, finite, never throws. */
export type Predicate = {
  readonly name: string;
  /** One sentence: what it is true of. */
  readonly about: string;
  /** Unit of `value`. */
  readonly unit: string;
  /** Names usable in a text as `{name.number}`, beside `{name}` for the value. */
  readonly numbers: readonly string[];
  judge(context: RuleContext): Judgement;
};

/** What cannot be known: neither true nor false. */
export const UNKNOWN: Judgement = { lower: 0, upper: 1, value: null };
