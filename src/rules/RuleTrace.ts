/** Truth of a graded predicate: 0 <= lower <= upper <= 1; unknown is [0, 1]. */
export type Truth = readonly [lower: number, upper: number];

export type LiteralTrace = { readonly predicate: string; readonly negated: boolean; readonly truth: Truth; readonly value: number | null };

export type RuleTraceEntry = {
  readonly id: string;
  /** In plain words, numbers filled in. */
  readonly text: string;
  readonly kind: 'evidence' | 'veto';
  readonly truth: Truth;
  /** Log-odds added to the logit; 0 for a veto. */
  readonly contribution: number;
  /** True for a veto whose truth reached its threshold. */
  readonly fired: boolean;
  readonly literals: readonly LiteralTrace[];
};

export type PriceLevel = { readonly price: number; readonly kind: 'support' | 'resistance'; readonly touches: number };

export type RuleEvaluation = {
  readonly rules: readonly RuleTraceEntry[];
  readonly levels: readonly PriceLevel[];
  /** Sum of the contributions, in the order of `rules`. */
  readonly total: number;
  readonly vetoedBy: readonly string[];
};
