import { ServiceError } from '../../core/ServiceError.ts';
import { loadModelFolder } from '../loadModelFolder.ts';
import { changeCurrent, currentIdOf, type Change } from './changeCurrent.ts';
import { readHistory, rollbackTarget } from './history.ts';
import { lockRegistry } from './lockRegistry.ts';
import type { Registry } from './Registry.ts';
import { newestShipped } from './newestShipped.ts';
import { findVersionFolder } from './versionFolders.ts';

/**
 * Undoes the last promotion: the version before it becomes the default again, or the shipped default if there is none. Throws ServiceError
 * `model.no_way_back` if no promotion is left, `model.unknown` or `model.refused` if the version before is missing or broken,
 * `model.registry_busy`, `file.unwritable`. Nothing changes on an error.
 */
export async function rollbackVersion(registry: Registry): Promise<Change> {
  const target = targetOf(registry);
  if (target === null) await registry.check(newestShipped(registry.shippedDir));
  else await registry.check(loadModelFolder(findVersionFolder([registry.shippedDir, registry.modelsDir], target)));
  return lockRegistry(registry.modelsDir, registry.clock, () => {
    if (targetOf(registry) !== target)
      throw new ServiceError('model.registry_busy', 'Another process changed the default while the previous version was checked.');
    return changeCurrent(registry, target, 'rollback');
  });
}

function targetOf({ modelsDir }: Registry): string | null {
  const target = rollbackTarget(readHistory(modelsDir, currentIdOf(modelsDir)));
  if (target === undefined) throw new ServiceError('model.no_way_back', 'There is no promotion to roll back.');
  return target;
}
