import { MongoServerError, type Collection, type ObjectId } from 'mongodb';
import type { CurrentVersion } from './currentVersion.ts';
import type { HistoryEntry } from './VersionStore.ts';

/** One file of a version in GridFS. */
export type StoredFile = { readonly name: string; readonly bytes: number; readonly sha256: string; readonly fileId: ObjectId };

export type StoredVersion = { readonly id: string; readonly pushedAt: string; readonly files: readonly StoredFile[] };

/** The one document of the registry: every change replaces it, if no other has since it was read. */
export type RegistryDocument = {
  readonly _id: 'registry';
  readonly revision: number;
  readonly current: CurrentVersion | null;
  readonly versions: readonly StoredVersion[];
  readonly history: readonly HistoryEntry[];
};

export const MODEL_REGISTRY = 'model_registry';

/** About 2 kB each in the document, which has at most 16 MB. */
export const MOST_VERSIONS = 1000;
/** Older entries are dropped. */
const MOST_ENTRIES = 1000;
/** Error code for a duplicate value of a unique key. */
const DUPLICATE = 11000;

export const EMPTY_REGISTRY: RegistryDocument = { _id: 'registry', revision: 0, current: null, versions: [], history: [] };

/** Compare-and-set: writes `after` as the next revision of `before`. False if the document has another revision by now. */
export async function replaceRegistry(
  registry: Collection<RegistryDocument>,
  { revision }: RegistryDocument,
  after: Omit<RegistryDocument, '_id' | 'revision'>,
): Promise<boolean> {
  const next = { ...after, history: after.history.slice(-MOST_ENTRIES), revision: revision + 1 };
  if (revision > 0) return (await registry.replaceOne({ _id: 'registry', revision }, next)).matchedCount === 1;
  try {
    await registry.insertOne({ _id: 'registry', ...next });
    return true;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === DUPLICATE) return false;
    throw error;
  }
}
