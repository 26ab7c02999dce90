import { ServiceError } from '../../core/ServiceError.ts';
import { loadModelFolder } from '../loadModelFolder.ts';
import { changeCurrent, currentIdOf, type Change } from './changeCurrent.ts';
import { readHistory, wayBack } from './history.ts';
import { lockRegistry } from './lockRegistry.ts';
import type { Registry } from './Registry.ts';
import { newestShipped } from './newestShipped.ts';
import { findVersionFolder } from './versionFolders.ts';

/**
 * Takes the last promotion back: the version before it answers again, before the first one the default that ships. Throws ServiceError
 * `model.no_way_back` where no promotion is left, `model.unknown` or `model.refused` where the version before is gone or broken,
 * `model.registry_busy`, `file.unwritable`; nothing changes then.
 */
export async function rollbackVersion(registry: Registry): Promise<Change> {
  const target = targetOf(registry);
  if (target === null) await registry.check(newestShipped(registry.shippedDir));
  else await registry.check(loadModelFolder(findVersionFolder([registry.shippedDir, registry.modelsDir], target)));
  return lockRegistry(registry.modelsDir, registry.clock, () => {
    if (targetOf(registry) !== target)
      throw new ServiceError('model.registry_busy', 'The default was changed while the version before it was checked.');
    return changeCurrent(registry, target, 'rollback');
  });
}

function targetOf({ modelsDir }: Registry): string | null {
  const target = wayBack(readHistory(modelsDir, currentIdOf(modelsDir)));
  if (target === undefined) throw new ServiceError('model.no_way_back', 'No promotion is left to take back.');
  return target;
}
