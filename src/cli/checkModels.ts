import { modelFolders } from '../app/modelFolders.ts';
import type { Settings } from '../config/settings.ts';
import { loadCatalog } from '../model/loadCatalog.ts';
import { defaultRuleSetPath, loadRuleSet } from '../rules/loadRuleSet.ts';
import { failedCheck, type Check } from './Check.ts';

/** Checks the files of every version against their hashes. A broken own version is a warning as long as another can be served. */
export function checkModels(settings: Settings): Check {
  try {
    const { versions, defaultId, refused } = loadCatalog(modelFolders(settings), settings.model);
    const detail = `${versions.length} verified, ${defaultId} answers by default`;
    if (refused.length === 0) return { name: 'models', verdict: 'works', detail };
    return {
      ...failedCheck('models', refused[0]?.error, 'warns'),
      detail: `${detail}; ${refused.map(({ error }) => error.message).join(' ')}`,
    };
  } catch (error) {
    return failedCheck('models', error);
  }
}

export async function checkRules(settings: Settings): Promise<Check> {
  try {
    const { id, hash } = await loadRuleSet(settings.rulesFile === '' ? defaultRuleSetPath() : settings.rulesFile);
    return { name: 'rules', verdict: 'works', detail: `${id}, hash ${hash.slice(0, 12)}` };
  } catch (error) {
    return failedCheck('rules', error);
  }
}
