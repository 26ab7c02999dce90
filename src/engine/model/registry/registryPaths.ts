import { existsSync, readdirSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError, quoteValue } from '../../../core/ServiceError.ts';
import { loadModelFolder } from '../loadModelFolder.ts';
import type { ModelFolder } from '../modelFiles.ts';

/** Paths of the files in MODELS_DIR that are not versions. */
export function registryPaths(modelsDir: string): { readonly current: string; readonly history: string; readonly lock: string } {
  return {
    current: path.join(modelsDir, 'current.json'),
    history: path.join(modelsDir, 'history.jsonl'),
    lock: path.join(modelsDir, 'registry.lock'),
  };
}

/** Names of other files in MODELS_DIR. */
const RESERVED = /^(?:current\.json|history\.jsonl|registry\.lock)/;

/** Same pattern as in the manifest schema; such a name cannot lead to another folder, and is that of no other file. */
export function isVersionId(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z0-9][a-z0-9.-]{0,63}$/.test(value) && !RESERVED.test(value);
}

/** Folders in `parent` that may be versions, sorted by name, without links and hidden folders. Empty if `parent` does not exist. */
export function versionFolders(parent: string): string[] {
  if (!existsSync(parent)) return [];
  return readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => path.join(parent, entry.name))
    .sort();
}

export const shippedIdsOf = (shippedDir: string): string[] => versionFolders(shippedDir).map((folder) => path.basename(folder));

export function unknownVersion(id: string, known: readonly string[]): ServiceError {
  const ids = [...new Set(known)].join(', ');
  return new ServiceError(
    'model.unknown',
    `Unknown model ${quoteValue(id)}. ${ids === '' ? 'There are no models.' : `Known models: ${ids}.`}`,
  );
}

/** The shipped default version. Throws ServiceError `model.refused` if no shipped version can be served. */
export function newestShipped(shippedDir: string): ModelFolder {
  let fault: ServiceError | undefined;
  const versions = versionFolders(shippedDir).flatMap((folder) => {
    try {
      return [loadModelFolder(folder)];
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      fault ??= error;
      return [];
    }
  });
  const newest = newestOf(versions);
  if (newest === undefined) throw fault ?? new ServiceError('model.refused', `There is no model version in ${shippedDir}.`);
  return newest;
}

/** The newest version that was not trained on generated ticks. */
export function newestOf(versions: readonly ModelFolder[]): ModelFolder | undefined {
  return versions
    .filter(({ manifest }) => !manifest.synthetic)
    .reduce<ModelFolder | undefined>(
      (newest, version) => (newest === undefined || version.manifest.createdAt > newest.manifest.createdAt ? version : newest),
      undefined,
    );
}
