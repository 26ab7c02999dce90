import { lstatSync, readdirSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError } from '../../core/ServiceError.ts';
import { loadModelFolder } from '../loadModelFolder.ts';
import { MODEL_FILES } from '../modelFiles.ts';
import type { ModelManifest } from '../ModelManifest.ts';
import { currentIdOf, readCurrentVersion } from './currentVersion.ts';
import { readHistory } from './history.ts';
import { type Registry, registryPaths, findVersionFolder, versionFolders } from './Registry.ts';

/** Result for the folder of a version, or for the registry's own files; valid if it has no faults. */
export type VerificationResult = { readonly path: string; readonly faults: readonly string[] };

/** Checks every version in both folders as serving does; also reports links, and files that the manifest does not name. Never throws. */
export async function verifyVersions(registry: Registry): Promise<VerificationResult[]> {
  const verified: VerificationResult[] = [];
  for (const parent of [registry.shippedDir, registry.modelsDir]) {
    for (const folder of foldersAndLinks(parent)) verified.push({ path: folder, faults: await folderFaults(registry, folder) });
  }
  return [...verified, { path: registryPaths(registry.modelsDir).current, faults: stateFaults(registry) }];
}

function foldersAndLinks(parent: string): string[] {
  try {
    const links = readdirSync(parent, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
    return [...versionFolders(parent), ...links.map(({ name }) => path.join(parent, name))].sort();
  } catch {
    // A missing folder contains no version.
    return [];
  }
}

async function folderFaults(registry: Registry, folder: string): Promise<string[]> {
  try {
    if (lstatSync(folder).isSymbolicLink()) return ['it is a link; links are not served.'];
    const version = loadModelFolder(folder);
    await registry.check(version);
    return extraFiles(folder, version.manifest).map((name) => `${name} is not named by the manifest.`);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function extraFiles(folder: string, { files }: ModelManifest): string[] {
  const named = new Set([MODEL_FILES.manifest, ...Object.keys(files)]);
  return readdirSync(folder).filter((name) => !named.has(name));
}

function stateFaults({ shippedDir, modelsDir }: Registry): string[] {
  const faultOf = (read: () => unknown): string[] => {
    try {
      read();
      return [];
    } catch (error) {
      return [error instanceof ServiceError ? error.message : String(error)];
    }
  };
  const { history: file } = registryPaths(modelsDir);
  const currentId = currentIdOf(modelsDir);
  return [
    ...faultOf(() => readCurrentVersion(modelsDir)),
    ...faultOf(() => currentId === null || findVersionFolder([shippedDir, modelsDir], currentId)),
    ...faultOf(() => {
      const { unfinished, broken } = readHistory(modelsDir, currentId);
      if (broken.length > 0) throw new ServiceError('model.refused', `${file} has broken lines: ${broken.slice(0, 10).join(', ')}.`);
      if (unfinished === null) return;
      const [said, is] = [unfinished.id, currentId].map((id) => id ?? 'the shipped default');
      throw new ServiceError(
        'model.refused',
        `${file} ends with ${said}, but the default is ${is}: a change was interrupted. The next promotion repairs it.`,
      );
    }),
  ];
}
