import { ServiceError } from '../../core/ServiceError.ts';
import type { ServedModel } from '../model/ModelManifest.ts';
import { MODEL_FILES, type ModelFolder } from '../model/modelFiles.ts';
import type { RuleSource } from '../rules/loadRuleSet.ts';
import { parseRuleSet } from '../rules/parseRuleSet.ts';
import type { RuleSet } from '../rules/RuleSet.ts';

/** Throws ServiceError `model.refused` if the rule set of a version is invalid. */
export function checkVersionRules({ manifest: { id }, rules }: ModelFolder): void {
  if (rules === undefined) return;
  try {
    parseVersionRules(id, rules);
  } catch (cause) {
    throw new ServiceError('model.refused', `Model ${id}: ${(cause as Error).message}`, { cause });
  }
}

/** The rules for all versions: those of RULES_FILE, which override those of a version, else the shipped ones. */
export type CommonRules = { readonly source: RuleSource; readonly isOperators: boolean };

/** The rules for the answers of a version. Throws ServiceError `rules.refused` if the shared rules are invalid. */
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
