import { ServiceError } from '../core/ServiceError.ts';
import { MODEL_FILES, type ModelFolder } from '../model/modelFiles.ts';
import type { ServedModel } from '../model/ModelManifest.ts';
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

/** Which rules a version's answers pass through: the operator's own where RULES_FILE names them, else the version's, else those that ship. */
export function rulesOfVersions(ruleSet: RuleSet, isOperators: boolean): (model: ServedModel) => RuleSet {
  const parsed = new WeakMap<ServedModel, RuleSet>();
  return (model) => {
    if (isOperators || model.rules === undefined) return ruleSet;
    const known = parsed.get(model) ?? parseVersionRules(model.id, model.rules);
    parsed.set(model, known);
    return known;
  };
}

function parseVersionRules(id: string, rules: string): RuleSet {
  return parseRuleSet(JSON.parse(rules), `${id}/${MODEL_FILES.rules}`);
}
