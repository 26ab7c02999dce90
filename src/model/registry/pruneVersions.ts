import { renameSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { ServiceError } from '../../core/ServiceError.ts';
import { loadModelFolder } from '../loadModelFolder.ts';
import type { ModelManifest } from '../ModelManifest.ts';
import { readCurrentVersion } from './currentVersion.ts';
import { readHistory } from './history.ts';
import { lockRegistry } from './lockRegistry.ts';
import type { Registry } from './Registry.ts';
import { versionFolders } from './versionFolders.ts';

export type PruneOptions = {
  /** How many earlier defaults stay, beside the one that answers. */
  readonly keep: number;
  /** Ids that stay whatever the history says. */
  readonly pinned?: readonly string[];
  /** Says what would go, and removes nothing. */
  readonly dryRun: boolean;
};

export type Pruned = {
  readonly removed: readonly string[];
  readonly kept: readonly string[];
  /** Folders that are no whole version: not ours to remove. */
  readonly leftAlone: readonly string[];
};

/**
 * Removes the owner's versions that neither answer, nor were one of the last `keep` defaults, nor are an ancestor of one that stays. What ships
 * is never touched. Throws ServiceError `model.registry_busy`, `file.unwritable`, and `model.refused` where current.json or the history cannot be read.
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
  if (broken.length > 0) throw new ServiceError('model.refused', `Nothing is removed while the history is broken in line ${broken[0]}.`);
  const before = entries.flatMap(({ id, previous }) => [previous, id]).filter((id) => id !== null && id !== current);
  const earlier = [...new Set(before.toReversed())].slice(0, keep);
  return [...(current === null ? [] : [current]), ...earlier].filter((id) => id !== null);
}

function withAncestors(ids: readonly string[], manifests: ReadonlyMap<string, ModelManifest>): ReadonlySet<string> {
  const all = new Set(ids);
  // A Set gives what is added to it while it is gone through, too.
  for (const id of all) {
    const parent = manifests.get(id)?.lineage.parent ?? null;
    if (parent !== null) all.add(parent);
  }
  return all;
}

/** Under another name first: no reader meets half of it. */
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
