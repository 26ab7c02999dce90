import { existsSync, readdirSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError } from '../core/ServiceError.ts';
import { loadModelFolder } from './loadModelFolder.ts';
import type { ModelFolder } from './modelFiles.ts';

export type LoadedCatalog = {
  readonly versions: readonly ModelFolder[];
  readonly defaultId: string;
  /** Folders that were passed over, with the reason. */
  readonly refused: readonly { readonly folder: string; readonly error: ServiceError }[];
};

/**
 * Reads every version in `folders` (the shipped ones first, then the owner's; of two with one id the first counts). The default is `wanted`,
 * else the newest shipped one that was not trained on generated ticks (ids end in their date). A broken version is passed over,
 * unless it is the wanted one or nothing is left: then ServiceError `model.refused`.
 */
export function loadCatalog(folders: readonly string[], wanted: string): LoadedCatalog {
  const versions: ModelFolder[] = [];
  const refused: { folder: string; error: ServiceError }[] = [];
  for (const folder of folders.flatMap(versionFolders)) {
    try {
      const version = loadModelFolder(folder);
      if (version.manifest.id !== path.basename(folder))
        throw new ServiceError('model.refused', `Model folder ${folder}: its manifest says the id is ${version.manifest.id}.`);
      if (!versions.some((other) => other.manifest.id === version.manifest.id)) versions.push(version);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      refused.push({ folder, error });
    }
  }
  return { versions, defaultId: chooseDefault(versions, refused, folders, wanted), refused };
}

function versionFolders(parent: string): string[] {
  if (!existsSync(parent)) return [];
  return readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => path.join(parent, entry.name))
    .sort();
}

function chooseDefault(
  versions: readonly ModelFolder[],
  refused: LoadedCatalog['refused'],
  folders: readonly string[],
  wanted: string,
): string {
  if (wanted !== '') {
    const broken = refused.find(({ folder }) => path.basename(folder) === wanted);
    if (broken !== undefined) throw broken.error;
    if (!versions.some(({ manifest }) => manifest.id === wanted))
      throw new ServiceError('model.refused', `MODEL=${wanted}: no such version in ${folders.join(' or ')}.`);
    return wanted;
  }
  const shipped = new Set(
    folders
      .slice(0, 1)
      .flatMap(versionFolders)
      .map((folder) => path.basename(folder)),
  );
  const candidates = versions.map(({ manifest }) => manifest).filter((manifest) => shipped.has(manifest.id) && !manifest.synthetic);
  const newest = candidates.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))[0];
  if (newest === undefined) throw refused[0]?.error ?? new ServiceError('model.refused', `No model version in ${folders.join(' or ')}.`);
  return newest.id;
}
