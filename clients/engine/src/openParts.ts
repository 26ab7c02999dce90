import { bytesOfBase64 } from '../../../src/core/base64.ts';
import { systemClock } from '../../../src/core/Clock.ts';
import { quoteValue, ServiceError } from '../../../src/core/ServiceError.ts';
import { Forecaster } from '../../../src/engine/forecast/Forecaster.ts';
import { ModelSlots } from '../../../src/engine/inference/ModelSlots.ts';
import { openKernelHost } from '../../../src/engine/inference/openKernelHost.ts';
import { MODEL_FILES, RULES_FILE, type ModelFolder, type Refuse } from '../../../src/engine/model/modelFiles.ts';
import { parseManifest, parseModelFiles } from '../../../src/engine/model/parseModelFiles.ts';
import { parseRuleSet } from '../../../src/engine/rules/parseRuleSet.ts';
import type { RuleSet } from '../../../src/engine/rules/RuleSet.ts';
import type { Engine, EngineOptions, VersionFiles } from './api.ts';

/** What an engine is made of. */
export type EngineParts = {
  readonly folder: ModelFolder;
  readonly ruleset: Engine['ruleset'];
  readonly forecaster: Forecaster;
};

/** Checks the files of a version, and its golden answers on the kernel. Throws ServiceError `model.unknown`, `model.refused`. */
export async function openParts({ version }: EngineOptions): Promise<EngineParts> {
  const { id, files, rules } = await import('./shipped.js');
  if (typeof version === 'string' && version !== id)
    throw new ServiceError('model.unknown', `Unknown model ${quoteValue(version)}. Known models: ${id}. Pass the files of another one.`);
  const given = version === undefined || typeof version === 'string' ? files : version;
  const folder = readVersion(given);
  const ruleSet = readRules(given) ?? parseRuleSet(rules, 'the rules of the package');
  const host = await openKernelHost();
  const models = new ModelSlots(host);
  const prepared = await models.prepare(folder);
  models.swap([prepared], [], folder.manifest.id);
  return {
    folder,
    ruleset: { id: ruleSet.id, hash: ruleSet.hash },
    forecaster: new Forecaster({ host, models, ruleSet, clock: systemClock }),
  };
}

/** Checks the files of a version as the service does, except their hashes: what is changed on the way is found by the golden answers. */
function readVersion(files: VersionFiles): ModelFolder {
  const refuse: Refuse = (why, cause) => {
    throw new ServiceError('model.refused', `The files of the version: ${why}`, { cause });
  };
  const contents = new Map(Object.entries(files).map(([name, content]) => [name, bytesOf(name, content)]));
  const manifest = parseManifest(contents.get(MODEL_FILES.manifest) ?? refuse(`${MODEL_FILES.manifest} is missing.`), refuse);
  return parseModelFiles(manifest, contents, refuse);
}

/** The rules that a service gave with the files of a version. */
function readRules(files: VersionFiles): RuleSet | undefined {
  const content = files[RULES_FILE];
  if (content === undefined) return undefined;
  try {
    return parseRuleSet(JSON.parse(new TextDecoder().decode(bytesOf(RULES_FILE, content))), RULES_FILE);
  } catch (cause) {
    throw new ServiceError('model.refused', `The files of the version: ${(cause as Error).message}`, { cause });
  }
}

/** Texts are UTF-8, or base64 for the weights. */
function bytesOf(name: string, content: string | Uint8Array): Uint8Array<ArrayBuffer> {
  if (typeof content !== 'string') return new Uint8Array(content);
  return name === MODEL_FILES.weights ? bytesOfBase64(content) : new TextEncoder().encode(content);
}
