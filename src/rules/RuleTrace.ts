import type { Rule } from './RuleSet.ts';

/** Truth of a graded predicate: 0 <= lower <= upper <= 1; unknown is [0, 1]. */
export type Truth = readonly [lower: number, upper: number];

export type LiteralTrace = { readonly predicate: string; readonly negated: boolean; readonly truth: Truth; readonly value: number | null };

export type RuleTraceEntry = {
  readonly id: string;
  /** In plain words, numbers filled in: made when it is asked for, since most answers do not show it. */
  text(): string;
  readonly kind: Rule['kind'];
  readonly truth: Truth;
  /** Log-odds added to the logit; 0 for a veto or an abstention. */
  readonly contribution: number;
  /** The least and the most that the contribution could be, were all that is unknown known. Holds 0 where nothing is known. */
  readonly evidence: readonly [lower: number, upper: number];
  /** True for a veto or an abstention whose truth reached its threshold. */
  readonly fired: boolean;
  /** Each predicate with its truth; made when it is asked for, as the text. */
  literals(): LiteralTrace[];
};

export type PriceLevel = { readonly price: number; readonly kind: 'support' | 'resistance'; readonly touches: number };

export type RuleEvaluation = {
  /** Those that were asked to be judged. */
  readonly rules: readonly RuleTraceEntry[];
  /** Empty where only the decision was asked for. */
  readonly levels: readonly PriceLevel[];
  /** Sum of the contributions, in the order of `rules`. */
  readonly total: number;
  /** Vetoes and abstentions that fired. */
  readonly vetoedBy: readonly string[];
};
