import type { RuleSetAnswer } from '../../contract/catalog.ts';
import { BUCKET_NAMES } from '../../engine/features/horizonBuckets.ts';
import type { HttpParts } from '../http/HttpParts.ts';
import { expressionWords } from '../../engine/rules/Expression.ts';
import type { Predicate } from '../../engine/rules/Predicate.ts';
import type { Rule, RuleSet } from '../../engine/rules/RuleSet.ts';

/** A rule set as the routes and `tickmark rules explain --json` show it. */
export function describeRuleSet({ id, version, about, hash, rules }: RuleSet): RuleSetAnswer {
  const used = new Map<string, Predicate>();
  for (const { literals } of rules) for (const { predicate } of literals) used.set(predicate.name, predicate);
  const predicates = [...used.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, about: says, unit }) => ({ name, about: says, unit }));
  return { id, version, about, hash, rules: rules.map(describeRule), predicates };
}

function describeRule(rule: Rule): RuleSetAnswer['rules'][number] {
  const horizons = BUCKET_NAMES.filter((_, bucket) => rule.applies[bucket] === true);
  const body = { id: rule.id, kind: rule.kind, text: rule.text.source, when: expressionWords(rule.when), horizons };
  if (rule.kind !== 'evidence') return { ...body, weights: null, sign: null, bound: null, neutral: null, threshold: rule.threshold };
  const weights = Object.fromEntries(BUCKET_NAMES.flatMap((name, bucket) => (rule.applies[bucket] === true ? [[name, rule.weight]] : [])));
  return { ...body, weights, sign: rule.sign === 1 ? '+' : '-', bound: rule.bound, neutral: rule.neutral, threshold: null };
}

/** The rule set of the service as the routes show it. */
export function rulesDirectory(ruleSet: RuleSet): HttpParts['rules'] {
  const { id, version, about, hash, rules } = ruleSet;
  return {
    list: () => ({ default: id, rulesets: [{ id, version, about, hash, rules: rules.length }] }),
    find: (wanted) => (wanted === id ? describeRuleSet(ruleSet) : undefined),
  };
}
