import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { loadModelFolder } from '../loadModelFolder.ts';
import { MODEL_FILES } from '../modelFiles.ts';
import type { ModelManifest } from '../ModelManifest.ts';
import { type Registry, findVersionFolder } from './Registry.ts';
import { versionFolders } from './registryPaths.ts';

/** Result for the folder of a version, or for the registry's own files; valid if it has no faults. */
export type VerificationResult = { readonly path: string; readonly faults: readonly string[] };

/** Checks every version as serving does; also reports links, and files that the manifest does not name. */
export async function verifyVersions(registry: Registry): Promise<VerificationResult[]> {
  const { shippedDir, versions } = registry;
  const verified: VerificationResult[] = [];
  for (const folder of [...versionFolders(shippedDir), ...versionFolders(versions.place)])
    verified.push({ path: folder, faults: await faultsOf(registry, folder) });
  for (const entry of versions.invalidEntries()) verified.push({ path: entry.path, faults: [entry.fault] });
  const { currentId, faults } = versions.state();
  const missing: string[] = [];
  try {
    if (currentId !== null) findVersionFolder(registry, currentId);
  } catch (error) {
    missing.push(messageOf(error));
  }
  return [...verified, { path: path.join(versions.place, 'current.json'), faults: [...faults, ...missing] }];
}

async function faultsOf({ check }: Registry, folder: string): Promise<string[]> {
  try {
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
