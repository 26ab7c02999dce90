import type { RuleSetAnswer } from '../../contract/catalog.ts';
import { BUCKET_NAMES } from '../../engine/features/horizonBuckets.ts';
import type { HttpParts } from '../http/HttpParts.ts';
import type { ModelCatalog, ServedModel } from '../../engine/model/ModelManifest.ts';
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
  const weights = Object.fromEntries(
    BUCKET_NAMES.flatMap((name, bucket) => (rule.applies[bucket] === true ? [[name, rule.weights[bucket] ?? 0]] : [])),
  );
  return { ...body, weights, sign: rule.sign === 1 ? '+' : '-', bound: rule.bound, neutral: rule.neutral, threshold: null };
}

/** The rule sets as the routes show them: that of the default version first, then those of the others, each once. */
export function rulesDirectory(
  models: Pick<ModelCatalog, 'defaultId' | 'find' | 'list'>,
  rulesOf: (model: ServedModel) => RuleSet,
): HttpParts['rules'] {
  const sets = (): RuleSet[] => {
    const byDefault = models.find(models.defaultId);
    const inOrder = [...(byDefault === undefined ? [] : [byDefault]), ...models.list()].map(rulesOf);
    return [...new Map(inOrder.map((set) => [set.id, set])).values()];
  };
  return {
    list: () => {
      const all = sets();
      const rulesets = all.map(({ id, version, about, hash, rules }) => ({ id, version, about, hash, rules: rules.length }));
      return { default: all[0]?.id ?? '', rulesets };
    },
    find: (wanted) => {
      const found = sets().find(({ id }) => id === wanted);
      return found && describeRuleSet(found);
    },
  };
}
