import * as path from 'node:path';
import { ServiceError, shown } from '../core/ServiceError.ts';
import { loadModelFolder } from './loadModelFolder.ts';
import type { ModelFolder } from './modelFiles.ts';
import { readCurrentVersion } from './registry/currentVersion.ts';
import { newestOf } from './registry/newestShipped.ts';
import { registryPlaces } from './registry/registryPlaces.ts';
import { versionFolders } from './registry/versionFolders.ts';

export type LoadedCatalog = {
  readonly versions: readonly ModelFolder[];
  readonly defaultId: string;
  /** Version that answers where nothing was promoted; null: none ships. */
  readonly shippedDefaultId: string | null;
  /** Folders that were passed over, with the reason; also `current.json`, where it names a version that cannot answer. */
  readonly refused: readonly Refused[];
};

export type Refused = { readonly folder: string; readonly error: ServiceError };

/**
 * Reads every version in `folders` (the shipped ones first, then MODELS_DIR; of two with one id the first counts). The default is `wanted`, else
 * what current.json in MODELS_DIR names, else the newest shipped one that was not trained on generated ticks. A broken version is passed over,
 * unless it is the wanted one or nothing is left: then ServiceError `model.refused`.
 */
export function loadCatalog(folders: readonly string[], wanted: string): LoadedCatalog {
  const versions: ModelFolder[] = [];
  const refused: Refused[] = [];
  const shipped = new Set<ModelFolder>();
  for (const [place, parent] of folders.entries()) {
    for (const folder of foldersOf(parent, refused)) {
      try {
        const version = loadModelFolder(folder);
        if (versions.some((other) => other.manifest.id === version.manifest.id)) continue;
        versions.push(version);
        if (place === 0) shipped.add(version);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        refused.push({ folder, error });
      }
    }
  }
  const shippedDefaultId = newestOf([...shipped])?.manifest.id ?? null;
  const defaultId = wanted === '' ? promoted(folders[1], versions, refused) : wantedOne(wanted, versions, refused, folders);
  const chosen = defaultId ?? shippedDefaultId;
  if (chosen === null) throw refused[0]?.error ?? new ServiceError('model.refused', `No model version in ${folders.join(' or ')}.`);
  return { versions, defaultId: chosen, shippedDefaultId, refused };
}

/** A loaded version. Throws ServiceError `model.unknown` with the ids that there are. */
export function findVersion({ versions }: Pick<LoadedCatalog, 'versions'>, id: string): ModelFolder {
  const found = versions.find(({ manifest }) => manifest.id === id);
  if (found !== undefined) return found;
  const known = versions.map(({ manifest }) => manifest.id).join(', ');
  throw new ServiceError('model.unknown', `No model ${shown(id)}; there are ${known}.`);
}

/** A place that cannot be listed is a fault of its own, and the other one is read all the same. */
function foldersOf(parent: string, refused: Refused[]): string[] {
  try {
    return versionFolders(parent);
  } catch (cause) {
    const error = new ServiceError('model.refused', `Model folder ${parent} cannot be listed: ${(cause as Error).message}.`, { cause });
    refused.push({ folder: parent, error });
    return [];
  }
}

function wantedOne(wanted: string, versions: readonly ModelFolder[], refused: readonly Refused[], folders: readonly string[]): string {
  if (versions.some(({ manifest }) => manifest.id === wanted)) return wanted;
  const broken = refused.find(({ folder }) => path.basename(folder) === wanted);
  throw broken?.error ?? new ServiceError('model.refused', `MODEL=${wanted}: no such version in ${folders.join(' or ')}.`);
}

/** null where nothing was promoted, or where what was cannot answer: that is among the refused then. */
function promoted(modelsDir: string | undefined, versions: readonly ModelFolder[], refused: Refused[]): string | null {
  if (modelsDir === undefined) return null;
  try {
    const id = readCurrentVersion(modelsDir)?.id ?? null;
    if (id !== null) checkDefault(id, versions);
    return id;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    refused.push({ folder: registryPlaces(modelsDir).current, error });
    return null;
  }
}

/** Throws ServiceError where `id`, which current.json names, must not or cannot answer by default. */
export function checkDefault(id: string, versions: readonly ModelFolder[]): void {
  const found = versions.find(({ manifest }) => manifest.id === id);
  if (found === undefined) throw new ServiceError('model.refused', `current.json names ${id}, which is not there or is broken.`);
  if (found.manifest.synthetic)
    throw new ServiceError('model.not_promotable', `current.json names ${id}, which was trained on generated ticks.`);
}
