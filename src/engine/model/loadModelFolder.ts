import * as path from 'node:path';
import { ServiceError } from '../../core/ServiceError.ts';
import {
  checkInputStatistics,
  MODEL_FILES,
  type Golden,
  type ModelFolder,
  readHashedFiles,
  readManifestFile,
  type Refuse,
} from './modelFiles.ts';
import { readManifest } from './manifestSchema.ts';
import { MarketModel } from './MarketModel.ts';
import { readMarket } from './marketSchema.ts';
import { readWeights } from './readWeights.ts';
import { SeenTicks } from './SeenTicks.ts';

/**
 * Reads and checks the folder of a version: the manifest against its schema, every file against its hash, the weights against the shapes
 * in the manifest, the input columns against the program, and the folder name against the id. Throws ServiceError `model.refused`.
 */
export function loadModelFolder(folder: string): ModelFolder {
  const refuse: Refuse = (why, cause) => {
    throw new ServiceError('model.refused', `Model folder ${folder}: ${why}`, { cause });
  };
  try {
    return readFolder(folder, refuse);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    // Every other error that a hostile file causes counts as a fault of the folder.
    return refuse('it cannot be read.', error);
  }
}

function readFolder(folder: string, refuse: Refuse): ModelFolder {
  const checked = readManifest(parse(MODEL_FILES.manifest, readManifestFile(folder, refuse), refuse));
  if ('fault' in checked) return refuse(checked.fault);
  if (checked.id !== path.basename(folder)) return refuse(`its manifest has the id ${checked.id}; the folder must have the same name.`);
  const contents = readHashedFiles(folder, checked, refuse);
  const content = (name: string): Buffer => contents.get(name) ?? refuse(`${name} is missing.`);
  const topology = parse(MODEL_FILES.topology, content(MODEL_FILES.topology), refuse);
  const golden = parse(MODEL_FILES.golden, content(MODEL_FILES.golden), refuse);
  const rules = contents.get(MODEL_FILES.rules)?.toString('utf8');
  const inputs = contents.get(MODEL_FILES.inputs);
  const market = contents.get(MODEL_FILES.market);
  const seen = (topology as { userDefinedMetadata?: { seenTicks?: unknown } | null } | null)?.userDefinedMetadata?.seenTicks;
  return {
    manifest: checked,
    weights: readWeights(checked, topology, content(MODEL_FILES.weights), refuse),
    golden: golden as Golden,
    card: content(MODEL_FILES.card).toString('utf8'),
    ...(rules === undefined ? {} : { rules }),
    ...(inputs === undefined ? {} : { inputs: checkInputStatistics(parse(MODEL_FILES.inputs, inputs, refuse), refuse) }),
    ...(market === undefined ? {} : { market: marketOf(parse(MODEL_FILES.market, market, refuse), refuse) }),
    ...(seen === undefined
      ? {}
      : { seen: SeenTicks.read(seen) ?? refuse(`${MODEL_FILES.topology}/userDefinedMetadata/seenTicks is not a sample of ticks.`) }),
  };
}

function marketOf(value: unknown, refuse: Refuse): MarketModel {
  const market = readMarket(value);
  return 'fault' in market ? refuse(`${MODEL_FILES.market}${market.fault}.`) : new MarketModel(market);
}

function parse(name: string, bytes: Buffer, refuse: Refuse): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    return refuse(`${name} is not valid JSON.`, error);
  }
}
