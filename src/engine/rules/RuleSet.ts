import { BUCKET_NAMES } from '../features/horizonBuckets.ts';
import type { Expression, RuleLiteral } from './Expression.ts';
import type { ExpressionJson, RuleJson, RuleSetJson } from './ruleSetSchema.ts';
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
      /** Difference in log-odds between certainly true and certainly false. */
      readonly weight: number;
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

/** A rule set as JSON for a file; parsing it gives the same set. */
export function ruleSetJson({ id, version, about, rules }: Pick<RuleSet, 'id' | 'version' | 'about' | 'rules'>): RuleSetJson {
  return { format: 'tickmark-rules/1', id, version, about, rules: rules.map(ruleJson) };
}

function ruleJson(rule: Rule): RuleJson {
  const horizons = BUCKET_NAMES.filter((_, bucket) => rule.applies[bucket] === true);
  const body = {
    id: rule.id,
    kind: rule.kind,
    text: rule.text.source,
    when: expressionJson(rule.when),
    ...(horizons.length === BUCKET_NAMES.length ? {} : { horizons }),
  };
  if (rule.kind !== 'evidence') return { ...body, threshold: rule.threshold };
  return { ...body, weight: rule.weight, sign: rule.sign === 1 ? '+' : '-', bound: rule.bound, neutral: rule.neutral };
}

function expressionJson(expression: Expression): ExpressionJson {
  switch (expression.kind) {
    case 'literal':
      return { predicate: expression.predicate.name };
    case 'not':
      return { not: expressionJson(expression.of) };
    case 'all':
      return { all: expression.of.map(expressionJson) };
    case 'any':
      return { any: expression.of.map(expressionJson) };
    case 'at_least':
      return { at_least: expression.count, of: expression.of.map(expressionJson) };
  }
}
