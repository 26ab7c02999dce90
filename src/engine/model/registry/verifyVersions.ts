import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { loadModelFolder } from '../loadModelFolder.ts';
import { MODEL_FILES } from '../modelFiles.ts';
import type { ModelManifest } from '../ModelManifest.ts';
import { type Registry, findVersionFolder } from './Registry.ts';
import { versionFolders } from './registryPaths.ts';

/** Result for the folder of a version, or for the registry's own files; valid if it has no faults. */
export type VerificationResult = { readonly path: string; readonly faults: readonly string[] };

/** Checks every version as serving does; also reports links, and files that the manifest does not name. Throws only ServiceError `store.unavailable`. */
export async function verifyVersions(registry: Registry): Promise<VerificationResult[]> {
  const { shippedDir, versions } = registry;
  const verified: VerificationResult[] = [];
  for (const folder of versionFolders(shippedDir)) verified.push({ path: folder, faults: await faultsOf(registry, () => folder) });
  for (const id of await versions.list())
    verified.push({ path: path.join(versions.place, id), faults: await faultsOf(registry, () => versions.folderOf(id)) });
  for (const entry of await versions.invalidEntries()) verified.push({ path: entry.path, faults: [entry.fault] });
  const { currentId, faults } = await versions.state();
  const missing =
    currentId === null
      ? []
      : await findVersionFolder(registry, currentId).then(
          () => [],
          (error: unknown) => [messageOf(error)],
        );
  return [...verified, { path: path.join(versions.place, 'current.json'), faults: [...faults, ...missing] }];
}

async function faultsOf({ check }: Registry, find: () => string | Promise<string>): Promise<string[]> {
  try {
    const folder = await find();
    const version = loadModelFolder(folder);
    await check(version);
    return extraFiles(folder, version.manifest).map((name) => `${name} is not named by the manifest.`);
  } catch (error) {
    return [messageOf(error)];
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function extraFiles(folder: string, { files }: ModelManifest): string[] {
  const named = new Set([MODEL_FILES.manifest, ...Object.keys(files)]);
  return readdirSync(folder).filter((name) => !named.has(name));
}
