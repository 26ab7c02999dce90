import type { Predicate } from './Predicate.ts';
import type { RuleText } from './ruleText.ts';

export type RuleLiteral = { readonly predicate: Predicate; readonly negated: boolean };

/** A rule holds as far as all its literals hold. */
export type Rule = {
  readonly id: string;
  readonly text: RuleText;
  /** In the order of the predicates' names. */
  readonly literals: readonly RuleLiteral[];
} & (
  | {
      readonly kind: 'evidence';
      /** Log-odds of a rule that is certainly true against one that is certainly false. */
      readonly weight: number;
      /** What the rule means: true raises (1) or lowers (-1) the odds. */
      readonly sign: 1 | -1;
      /** No contribution is larger than this, log-odds. */
      readonly bound: number;
      /** The usual truth: what is unknown is taken to be so, and contributes nothing. */
      readonly neutral: number;
    }
  | {
      readonly kind: 'veto';
      /** Fires when the rule is certainly at least this true. */
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
