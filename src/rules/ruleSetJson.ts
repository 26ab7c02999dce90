import { BUCKET_NAMES } from '../features/horizonBuckets.ts';
import type { Expression } from './Expression.ts';
import type { Rule, RuleSet } from './RuleSet.ts';
import type { BucketName, ExpressionJson, RuleJson, RuleSetJson } from './ruleSetSchema.ts';

/** A rule set as JSON for a file; parsing it gives the same set. Weights that differ by horizon are written in sections. */
export function ruleSetJson({ id, version, about, rules }: Pick<RuleSet, 'id' | 'version' | 'about' | 'rules'>): RuleSetJson {
  const sections: Partial<Record<BucketName, { weights: Record<string, number> }>> = {};
  for (const rule of rules) {
    if (rule.kind !== 'evidence') continue;
    rule.weights.forEach((weight, bucket) => {
      const name = BUCKET_NAMES[bucket];
      if (name === undefined || weight === rule.weights[0]) return;
      (sections[name] ??= { weights: {} }).weights[rule.id] = weight;
    });
  }
  const set = { format: 'tickmark-rules/1', id, version, about, rules: rules.map(ruleJson) } as const;
  return Object.keys(sections).length === 0 ? set : { ...set, sections };
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
  return { ...body, weight: rule.weights[0] ?? 0, sign: rule.sign === 1 ? '+' : '-', bound: rule.bound, neutral: rule.neutral };
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
