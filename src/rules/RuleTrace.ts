import type { Truth } from './Expression.ts';
import type { Rule } from './RuleSet.ts';

export type LiteralTrace = { readonly predicate: string; readonly negated: boolean; readonly truth: Truth; readonly value: number | null };

export type RuleTraceEntry = {
  readonly id: string;
  /** The rule's sentence with its numbers. Built on demand, because most responses do not show it. */
  text(): string;
  readonly kind: Rule['kind'];
  readonly truth: Truth;
  /** Log-odds added to the logit; 0 for a veto or an abstention. */
  readonly contribution: number;
  /** Smallest and largest possible contribution, given what is unknown. Contains 0 if nothing is known. */
  readonly evidence: readonly [lower: number, upper: number];
  /** True for a veto or an abstention whose truth reached its threshold. */
  readonly fired: boolean;
  /** Each predicate with its truth; built on demand. */
  literals(): LiteralTrace[];
};

export type PriceLevel = { readonly price: number; readonly kind: 'support' | 'resistance'; readonly touches: number };

export type RuleEvaluation = {
  /** The rules that were evaluated. */
  readonly rules: readonly RuleTraceEntry[];
  /** Empty if only the decision was requested. */
  readonly levels: readonly PriceLevel[];
  /** Sum of the contributions, in the order of `rules`. */
  readonly total: number;
  /** Vetoes and abstentions that fired. */
  readonly vetoedBy: readonly string[];
};
