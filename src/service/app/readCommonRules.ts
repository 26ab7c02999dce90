import type { Settings } from '../../core/config/settings.ts';
import type { CommonRules } from '../../engine/forecast/versionRules.ts';
import { defaultRuleSetPath, readRuleSource } from '../../engine/rules/loadRuleSet.ts';

/** The rules of RULES_FILE, or the shipped ones. Throws ServiceError `rules.refused`, `file.unreadable`. */
export async function readCommonRules({ rulesFile }: Pick<Settings, 'rulesFile'>): Promise<CommonRules> {
  const isOperators = rulesFile !== '';
  const source = await (isOperators ? readRuleSource(rulesFile, `RULES_FILE=${rulesFile}`) : readRuleSource(defaultRuleSetPath()));
  return { source, isOperators };
}
