import { ServiceError } from '../../../core/ServiceError.ts';
import { nameOf } from '../datedId.ts';
import { loadModelFolder } from '../loadModelFolder.ts';
import type { ModelManifest } from '../ModelManifest.ts';
import type { Registry } from './Registry.ts';
import type { RegistryState } from './history.ts';

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
 * versions are never removed. Throws ServiceError `model.registry_busy`, `file.unwritable`, and `model.refused` if
 * the records of the registry cannot be read.
 */
export async function pruneVersions({ versions }: Registry, { keep, pinned = [], dryRun }: PruneOptions): Promise<Pruned> {
  const before = versions.state();
  const [fault] = before.faults;
  if (fault !== undefined) throw new ServiceError('model.refused', `${fault} No version was removed.`);
  const manifests = new Map<string, ModelManifest>();
  const leftAlone: string[] = [];
  for (const id of versions.list()) {
    try {
      manifests.set(id, loadModelFolder(versions.folderOf(id)).manifest);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      leftAlone.push(id);
    }
  }
  const stays = withAncestors([...pinned, ...lastDefaults(before, keep)], manifests);
  const removed = [...manifests.keys()].filter((id) => !stays.has(id));
  if (!dryRun && removed.length > 0) await versions.remove(before, removed);
  return { removed, kept: [...manifests.keys()].filter((id) => stays.has(id)), leftAlone };
}

/** Attempts of a removal that conflicts with other commands. */
const MAX_TRIES = 10;

/**
 * Removes the user's versions of the name of `id` (`nameOf`) except the newest `keep`, the default and the one before it, and `pinned`. Returns
 * what was removed. Another command may change the registry meanwhile, as the pods of one Job do. Throws ServiceError as `pruneVersions`.
 */
export async function pruneOlder(
  { versions }: Registry,
  id: string,
  { keep, pinned }: { keep: number; pinned: readonly string[] },
): Promise<string[]> {
  for (let tries = 1; ; tries++) {
    const before = versions.state();
    const stays = new Set([...pinned, ...lastDefaults(before, 1)]);
    const dated = versions.list().filter((other) => other !== nameOf(id) && nameOf(other) === nameOf(id));
    const removed = dated.slice(0, -keep).filter((other) => !stays.has(other));
    if (removed.length === 0) return [];
    try {
      await versions.remove(before, removed);
      return removed;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'model.registry_busy' || tries === MAX_TRIES) throw error;
    }
  }
}

/** The default and the `keep` ones before it, each once. */
function lastDefaults({ currentId: current, history }: RegistryState, keep: number): string[] {
  const before = history.flatMap(({ id, previous }) => [previous, id]).filter((id) => id !== null && id !== current);
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
