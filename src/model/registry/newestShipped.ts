import { ServiceError } from '../../core/ServiceError.ts';
import { loadModelFolder } from '../loadModelFolder.ts';
import type { ModelFolder } from '../modelFiles.ts';
import { versionFolders } from './versionFolders.ts';

/** The shipped default version. Throws ServiceError `model.refused` if no shipped version can be served. */
export function newestShipped(shippedDir: string): ModelFolder {
  let fault: ServiceError | undefined;
  const versions = versionFolders(shippedDir).flatMap((folder) => {
    try {
      return [loadModelFolder(folder)];
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      fault ??= error;
      return [];
    }
  });
  const newest = newestOf(versions);
  if (newest === undefined) throw fault ?? new ServiceError('model.refused', `There is no model version in ${shippedDir}.`);
  return newest;
}

/** The newest version that was not trained on generated ticks. */
export function newestOf(versions: readonly ModelFolder[]): ModelFolder | undefined {
  return versions
    .filter(({ manifest }) => !manifest.synthetic)
    .reduce<ModelFolder | undefined>(
      (newest, version) => (newest === undefined || version.manifest.createdAt > newest.manifest.createdAt ? version : newest),
      undefined,
    );
}
