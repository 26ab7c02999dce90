import * as path from 'node:path';
import type { ModelFolder } from '../modelFiles.ts';
import type { FolderVersions } from './FolderVersions.ts';
import { shippedIdsOf, unknownVersion } from './registryPaths.ts';

/** The versions, and dependencies for a change of the default. */
export type Registry = {
  /** The versions that ship with tickmark; never changed. */
  readonly shippedDir: string;
  /** The user's versions. */
  readonly versions: FolderVersions;
  /** Runs a loaded version against its golden rows. Throws ServiceError `model.refused`. */
  check(version: ModelFolder): void | Promise<void>;
};

/** The folder of a version; a shipped one comes before one of the user's with the same id. Throws ServiceError `model.unknown`, `model.refused`. */
export function findVersionFolder({ shippedDir, versions }: Registry, id: string): string {
  const shippedIds = shippedIdsOf(shippedDir);
  if (shippedIds.includes(id)) return path.join(shippedDir, id);
  const ids = versions.list();
  if (ids.includes(id)) return versions.folderOf(id);
  throw unknownVersion(id, [...shippedIds, ...ids]);
}
