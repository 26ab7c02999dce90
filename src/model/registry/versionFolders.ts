import { existsSync, readdirSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError, shown } from '../../core/ServiceError.ts';

/** As in the schema of the manifest: a name of this kind leads to no other folder. */
export function isVersionId(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z0-9][a-z0-9.-]{0,63}$/.test(value);
}

/** The folders in `parent` that may be versions, by name: no links, no names with a dot first. Empty where there is no parent. */
export function versionFolders(parent: string): string[] {
  if (!existsSync(parent)) return [];
  return readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => path.join(parent, entry.name))
    .sort();
}

/** The folder of a version; of two with one id the first counts. Throws ServiceError `model.unknown`. */
export function findVersionFolder(folders: readonly string[], id: string): string {
  const all = folders.flatMap(versionFolders);
  const found = isVersionId(id) ? all.find((folder) => path.basename(folder) === id) : undefined;
  if (found !== undefined) return found;
  const known = [...new Set(all.map((folder) => path.basename(folder)))].join(', ');
  throw new ServiceError('model.unknown', `No model ${shown(id)}; there ${known === '' ? 'is none' : `are ${known}`}.`);
}
