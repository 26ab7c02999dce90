import { mkdirSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { readCurrentVersion, writeCurrentVersion } from '../../../engine/model/registry/currentVersion.ts';
import { readHistory } from '../../../engine/model/registry/history.ts';
import type { MongoVersions } from '../../../engine/model/registry/MongoVersions.ts';
import { registryPaths } from '../../../engine/model/registry/Registry.ts';
import type { BackupFile } from './backupFiles.ts';

/** Writes the registry in MongoDB to a new folder, in the form of MODELS_DIR. Throws ServiceError `model.refused` for a damaged version, `store.unavailable`. */
export async function writeRegistry(versions: MongoVersions, folder: string): Promise<void> {
  const document = await versions.document();
  const copy = versions.over(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const version of document.versions) await copy.download(version);
  if (document.current !== null) writeCurrentVersion(folder, document.current);
  const lines = document.history.map((entry) => `${JSON.stringify(entry)}\n`);
  if (lines.length > 0) writeFileSync(registryPaths(folder).history, lines.join(''));
}

/** Versions of a backup that the registry has with other content. */
export async function differingVersions(versions: MongoVersions, files: readonly BackupFile[]): Promise<string[]> {
  const { versions: stored } = await versions.document();
  const isStored = ({ path: name, sha256 }: BackupFile): boolean => {
    const [, id, file] = name.split('/');
    const version = stored.find((each) => each.id === id);
    return version === undefined || version.files.some((each) => each.name === file && each.sha256 === sha256);
  };
  const differing = files.filter((file) => /^models\/[^/]+\/./.test(file.path) && !isStored(file));
  return [...new Set(differing.map(({ path: name }) => `models/${name.split('/')[1]}`))];
}

export type RestoredRegistry = { readonly versions: string[]; readonly pointers: string[]; readonly leftAlone: string[] };

/** Pushes the versions of a backup that are missing; default and history only into a registry that has had no change. */
export async function restoreRegistry(versions: MongoVersions, modelsDir: string, files: readonly BackupFile[]): Promise<RestoredRegistry> {
  const leftAlone = await differingVersions(versions, files);
  const ids = [...new Set(files.flatMap(({ path: name }) => /^models\/([^/]+)\/./.exec(name)?.[1] ?? []))];
  const restored: string[] = [];
  for (const id of ids) {
    if (!leftAlone.includes(`models/${id}`) && (await versions.push(path.join(modelsDir, id)))) restored.push(id);
  }
  const current = readCurrentVersion(modelsDir);
  const { entries } = readHistory(modelsDir, current?.id ?? null);
  if (current === null) return { versions: restored, pointers: [], leftAlone };
  if (await versions.adopt(current, entries)) return { versions: restored, pointers: ['history.jsonl', 'current.json'], leftAlone };
  const { currentId } = await versions.state();
  return { versions: restored, pointers: [], leftAlone: currentId === current.id ? leftAlone : [...leftAlone, 'models/current.json'] };
}
