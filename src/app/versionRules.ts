import { ServiceError } from '../core/ServiceError.ts';
import { MODEL_FILES, type ModelFolder } from '../model/modelFiles.ts';
import type { ServedModel } from '../model/ModelManifest.ts';
import type { RuleSource } from '../rules/loadRuleSet.ts';
import { parseRuleSet } from '../rules/parseRuleSet.ts';
import type { RuleSet } from '../rules/RuleSet.ts';

/** Throws ServiceError `model.refused` where a version's own rule set is none. */
export function checkVersionRules({ manifest: { id }, rules }: ModelFolder): void {
  if (rules === undefined) return;
  try {
    parseVersionRules(id, rules);
  } catch (cause) {
    throw new ServiceError('model.refused', `Model ${id}: ${(cause as Error).message}`, { cause });
  }
}

/** What all versions share: the operator's own rules where RULES_FILE names them, which go before those of a version, else those that ship. */
export type CommonRules = { readonly source: RuleSource; readonly isOperators: boolean };

/** The rules that a version's answers pass through. Throws ServiceError `rules.refused` where those that all share are none. */
export function rulesOfVersions(common: CommonRules): (model: ServedModel) => RuleSet {
  const shared = parseRuleSet(common.source.json, common.source.source);
  const parsed = new WeakMap<ServedModel, RuleSet>();
  return (model) => {
    if (common.isOperators || model.rules === undefined) return shared;
    const known = parsed.get(model) ?? parseVersionRules(model.id, model.rules);
    parsed.set(model, known);
    return known;
  };
}

function parseVersionRules(id: string, rules: string): RuleSet {
  return parseRuleSet(JSON.parse(rules), `${id}/${MODEL_FILES.rules}`);
}
