import type { Expression, RuleLiteral } from './Expression.ts';
import type { RuleText } from './ruleText.ts';

/** A rule is as true as its expression. */
export type Rule = {
  readonly id: string;
  readonly text: RuleText;
  readonly when: Expression;
  /** The predicates of `when`, in order. */
  readonly literals: readonly RuleLiteral[];
  /** By horizon bucket: whether the rule is evaluated. */
  readonly applies: readonly boolean[];
} & (
  | {
      readonly kind: 'evidence';
      /** By horizon bucket: difference in log-odds between certainly true and certainly false. */
      readonly weights: readonly number[];
      /** Direction of the rule: truth raises (1) or lowers (-1) the odds. */
      readonly sign: 1 | -1;
      /** Largest possible contribution, log-odds. */
      readonly bound: number;
      /** The typical truth. An unknown truth is replaced by it and contributes 0. */
      readonly neutral: number;
    }
  | {
      /** Forbids a mark: a veto if the truth is certainly at least `threshold`, an abstention if it may be. */
      readonly kind: 'veto' | 'abstain';
      readonly threshold: number;
    }
);

/** A validated rule set. Rules are sorted by id, which fixes the order of all sums. */
export type RuleSet = {
  readonly id: string;
  readonly version: number;
  readonly about: string;
  readonly rules: readonly Rule[];
  /** SHA-256 of the canonical JSON, hex: equal for two files with the same meaning. */
  readonly hash: string;
};
