import { existsSync, readdirSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError, quoteValue } from '../../core/ServiceError.ts';

/** Same pattern as in the manifest schema; such a name cannot lead to another folder. */
export function isVersionId(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z0-9][a-z0-9.-]{0,63}$/.test(value);
}

/** Folders in `parent` that may be versions, sorted by name, without links and hidden folders. Empty if `parent` does not exist. */
export function versionFolders(parent: string): string[] {
  if (!existsSync(parent)) return [];
  return readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => path.join(parent, entry.name))
    .sort();
}

/** The folder of a version; the first one if two have the same id. Throws ServiceError `model.unknown`. */
export function findVersionFolder(folders: readonly string[], id: string): string {
  const all = folders.flatMap(versionFolders);
  const found = isVersionId(id) ? all.find((folder) => path.basename(folder) === id) : undefined;
  if (found !== undefined) return found;
  const known = [...new Set(all.map((folder) => path.basename(folder)))].join(', ');
  throw new ServiceError(
    'model.unknown',
    `Unknown model ${quoteValue(id)}. ${known === '' ? 'There are no models.' : `Known models: ${known}.`}`,
  );
}
