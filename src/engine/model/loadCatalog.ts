import * as path from 'node:path';
import { ServiceError, quoteValue } from '../../core/ServiceError.ts';
import { loadModelFolder } from './loadModelFolder.ts';
import { findDated } from './datedId.ts';
import type { ModelFolder } from './modelFiles.ts';
import { readCurrentVersion } from './registry/currentVersion.ts';
import { newestOf, registryPaths, versionFolders } from './registry/registryPaths.ts';

export type LoadedCatalog = {
  readonly versions: readonly ModelFolder[];
  readonly defaultId: string;
  /** The default version until one is promoted; null if no version is shipped. */
  readonly shippedDefaultId: string | null;
  /** Skipped folders with the reason; also `current.json` if it names a version that cannot be served. */
  readonly refused: readonly Refused[];
};

export type Refused = { readonly folder: string; readonly error: ServiceError };

/**
 * Reads every version in `folders`: shipped versions first, then MODELS_DIR. Of two versions with the same id, the first one is used.
 * The default is `wanted`, else the version in current.json of MODELS_DIR, else the newest shipped version that was not trained on
 * generated ticks. Skips a broken version, but throws ServiceError `model.refused` if it is `wanted`, or no other version
 * is left.
 */
export function loadCatalog(folders: readonly string[], wanted: string): LoadedCatalog {
  const versions: ModelFolder[] = [];
  const refused: Refused[] = [];
  const shipped = new Set<ModelFolder>();
  for (const [index, parent] of folders.entries()) {
    for (const folder of foldersOf(parent, refused)) {
      try {
        const version = loadModelFolder(folder);
        if (versions.some((other) => other.manifest.id === version.manifest.id)) continue;
        versions.push(version);
        if (index === 0) shipped.add(version);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        refused.push({ folder, error });
      }
    }
  }
  const shippedDefaultId = newestOf([...shipped])?.manifest.id ?? null;
  if (wanted !== '') checkWanted(wanted, versions, refused, folders);
  const defaultId = wanted === '' ? promoted(folders[1], versions, refused) : wanted;
  const chosen = defaultId ?? shippedDefaultId;
  if (chosen === null)
    throw refused[0]?.error ?? new ServiceError('model.refused', `There is no model version in ${folders.join(' or ')}.`);
  return { versions, defaultId: chosen, shippedDefaultId, refused };
}

/** Returns a loaded version, by its id or by the name of a market (`findDated`). Throws ServiceError `model.unknown` with the known ids. */
export function findVersion({ versions }: Pick<LoadedCatalog, 'versions'>, id: string): ModelFolder {
  const ids = versions.map(({ manifest }) => manifest.id);
  const meant = findDated(ids, id);
  const found = versions.find(({ manifest }) => manifest.id === meant);
  if (found !== undefined) return found;
  const known = ids.join(', ');
  throw new ServiceError('model.unknown', `Unknown model ${quoteValue(id)}. Known models: ${known}.`);
}

/** Adds a folder that cannot be listed to `refused`, so that the other folder is still read. */
function foldersOf(parent: string, refused: Refused[]): string[] {
  try {
    return versionFolders(parent);
  } catch (cause) {
    const error = new ServiceError('model.refused', `Model folder ${parent} cannot be listed: ${(cause as Error).message}.`, { cause });
    refused.push({ folder: parent, error });
    return [];
  }
}

/** Throws if MODEL names a version which is missing or broken. */
function checkWanted(id: string, versions: readonly ModelFolder[], refused: readonly Refused[], folders: readonly string[]): void {
  if (versions.some(({ manifest }) => manifest.id === id)) return;
  const broken = refused.find(({ folder }) => path.basename(folder) === id);
  throw new ServiceError(
    'model.refused',
    `MODEL=${id}: ${broken?.error.message ?? `there is no such version in ${folders.join(' or ')}.`}`,
  );
}

/** Id of the promoted version; null if there is none, or if it cannot be served: then adds the reason to `refused`. */
function promoted(modelsDir: string | undefined, versions: readonly ModelFolder[], refused: Refused[]): string | null {
  if (modelsDir === undefined) return null;
  try {
    const id = readCurrentVersion(modelsDir)?.id ?? null;
    if (id !== null) checkDefault(id, versions);
    return id;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    refused.push({ folder: registryPaths(modelsDir).current, error });
    return null;
  }
}

/** Throws ServiceError if `id`, which current.json names, cannot or must not be the default. */
function checkDefault(id: string, versions: readonly ModelFolder[]): void {
  const found = versions.find(({ manifest }) => manifest.id === id);
  if (found === undefined) throw new ServiceError('model.refused', `current.json names ${id}, which is missing or broken.`);
  if (found.manifest.synthetic)
    throw new ServiceError('model.not_promotable', `current.json names ${id}, which was trained on generated ticks.`);
}
