import { existsSync } from 'node:fs';
import * as path from 'node:path';
import type { ModelFilesAnswer } from '../../contract/catalog.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { MODEL_FILES, RULES_FILE, type Refuse } from '../../engine/model/modelFiles.ts';
import type { ModelCatalog, ServedModel } from '../../engine/model/ModelManifest.ts';
import { readHashedFiles } from '../../engine/model/readModelFiles.ts';
import { type RuleSet, ruleSetJson } from '../../engine/rules/RuleSet.ts';

/** Files that a forecast needs, besides the manifest and the rules. */
const NEEDED: ReadonlySet<string> = new Set([...[MODEL_FILES.topology, MODEL_FILES.weights, MODEL_FILES.golden, MODEL_FILES.card]]);

/**
 * What `openEngine({ version })` of tickmark-engine takes of a loaded version: its files, with the rules that its answers pass through here. Read once
 * for each version. `folders`: where versions lie, those that are looked at first in front.
 */
export function versionFiles(
  folders: readonly string[],
  models: Pick<ModelCatalog, 'find'>,
  ruleSet: RuleSet,
): (id: string) => Buffer | undefined {
  const kept = new WeakMap<ServedModel, Buffer>();
  return (id) => {
    const model = models.find(id);
    if (model === undefined) return undefined;
    const answer = kept.get(model) ?? Buffer.from(JSON.stringify(read(folders, model, ruleSet)));
    kept.set(model, answer);
    return answer;
  };
}

/** Throws ServiceError `service.not_ready` if the files on the disk are no longer those of the version that is loaded. */
function read(folders: readonly string[], { id, manifest }: ServedModel, rules: RuleSet): ModelFilesAnswer {
  const refuse: Refuse = (why, cause) => {
    throw new ServiceError('service.not_ready', `The files of ${id} have changed since it was loaded: ${why}`, { cause });
  };
  const folder = folders.map((parent) => path.join(parent, id)).find((each) => existsSync(each)) ?? refuse('they are gone.');
  const files = Object.fromEntries(Object.entries(manifest.files).filter(([name]) => NEEDED.has(name)));
  const contents = readHashedFiles(folder, { ...manifest, files }, refuse);
  const texts = [...contents].map(([name, bytes]) => [name, bytes.toString(name === MODEL_FILES.weights ? 'base64' : 'utf8')]);
  return {
    id,
    ruleset: { id: rules.id, hash: rules.hash },
    files: {
      [MODEL_FILES.manifest]: JSON.stringify(manifest),
      ...Object.fromEntries(texts),
      [RULES_FILE]: JSON.stringify(ruleSetJson(rules)),
    },
  };
}
