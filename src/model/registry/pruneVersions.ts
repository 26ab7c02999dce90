import { renameSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError } from '../../core/ServiceError.ts';
import { loadModelFolder } from '../loadModelFolder.ts';
import type { ModelManifest } from '../ModelManifest.ts';
import { readCurrentVersion } from './currentVersion.ts';
import { readHistory } from './history.ts';
import { lockRegistry } from './lockRegistry.ts';
import { type Registry, versionFolders } from './Registry.ts';

export type PruneOptions = {
  /** Number of earlier defaults to keep in addition to the current default. */
  readonly keep: number;
  /** Ids to keep independently of the history. */
  readonly pinned?: readonly string[];
  /** Reports what would be removed, without removing it. */
  readonly dryRun: boolean;
};

export type Pruned = {
  readonly removed: readonly string[];
  readonly kept: readonly string[];
  /** Folders that do not contain a complete version; they are never removed. */
  readonly leftAlone: readonly string[];
};

/**
 * Removes the user's versions except the default, the last `keep` defaults before it, and the ancestors of versions that stay. Shipped
 * versions are never removed. Throws ServiceError `model.registry_busy`, `file.unwritable`, and `model.refused` if current.json or the
 * history cannot be read.
 */
export function pruneVersions(registry: Registry, { keep, pinned = [], dryRun }: PruneOptions): Promise<Pruned> {
  return lockRegistry(registry.modelsDir, registry.clock, () => {
    const manifests = new Map<string, ModelManifest>();
    const leftAlone: string[] = [];
    for (const folder of versionFolders(registry.modelsDir)) {
      try {
        const { manifest } = loadModelFolder(folder);
        manifests.set(manifest.id, manifest);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        leftAlone.push(path.basename(folder));
      }
    }
    const stays = withAncestors([...pinned, ...lastDefaults(registry.modelsDir, keep)], manifests);
    const removed = [...manifests.keys()].filter((id) => !stays.has(id));
    if (!dryRun) for (const id of removed) removeVersion(registry.modelsDir, id);
    return { removed, kept: [...manifests.keys()].filter((id) => stays.has(id)), leftAlone };
  });
}

/** The default and the `keep` ones before it, each once. */
function lastDefaults(modelsDir: string, keep: number): string[] {
  const current = readCurrentVersion(modelsDir)?.id ?? null;
  const { entries, broken } = readHistory(modelsDir, current);
  if (broken.length > 0) throw new ServiceError('model.refused', `Line ${broken[0]} of the history is broken, so no version was removed.`);
  const before = entries.flatMap(({ id, previous }) => [previous, id]).filter((id) => id !== null && id !== current);
  const earlier = [...new Set(before.toReversed())].slice(0, keep);
  return [...(current === null ? [] : [current]), ...earlier].filter((id) => id !== null);
}

function withAncestors(ids: readonly string[], manifests: ReadonlyMap<string, ModelManifest>): ReadonlySet<string> {
  const all = new Set(ids);
  // The iteration of a Set includes elements that are added during it.
  for (const id of all) {
    const parent = manifests.get(id)?.lineage.parent ?? null;
    if (parent !== null) all.add(parent);
  }
  return all;
}

/** Renames the folder first, so that no reader sees it half removed. */
function removeVersion(modelsDir: string, id: string): void {
  const [folder, doomed] = [path.join(modelsDir, id), path.join(modelsDir, `.${id}.removed`)];
  try {
    rmSync(doomed, { recursive: true, force: true });
    renameSync(folder, doomed);
    rmSync(doomed, { recursive: true, force: true });
  } catch (cause) {
    throw new ServiceError('file.unwritable', `${folder} cannot be removed: ${(cause as Error).message}.`, { cause });
  }
}
