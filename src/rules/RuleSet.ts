import type { Expression, RuleLiteral } from './Expression.ts';
import type { RuleText } from './ruleText.ts';

/** A rule holds as far as its expression is true. */
export type Rule = {
  readonly id: string;
  readonly text: RuleText;
  readonly when: Expression;
  /** The predicates of `when`, in its order. */
  readonly literals: readonly RuleLiteral[];
  /** By horizon bucket: whether the rule is asked there. */
  readonly applies: readonly boolean[];
} & (
  | {
      readonly kind: 'evidence';
      /** By horizon bucket: log-odds of a rule that is certainly true against one that is certainly false. */
      readonly weights: readonly number[];
      /** What the rule means: true raises (1) or lowers (-1) the odds. */
      readonly sign: 1 | -1;
      /** No contribution is larger than this, log-odds. */
      readonly bound: number;
      /** The usual truth: what is unknown is taken to be so, and contributes nothing. */
      readonly neutral: number;
    }
  | {
      /** Forbids a mark: a veto where the rule is certainly at least `threshold` true, an abstention already where it may be. */
      readonly kind: 'veto' | 'abstain';
      readonly threshold: number;
    }
);

/** A validated rule set; rules in the order of their ids, which is the order of every sum over them. */
export type RuleSet = {
  readonly id: string;
  readonly version: number;
  readonly about: string;
  readonly rules: readonly Rule[];
  /** SHA-256 of the canonical JSON, hex: the same for two files that mean the same. */
  readonly hash: string;
};
