import { Binary, type Collection } from 'mongodb';
import {
  IN_USE_MS,
  MOST_MEMORIES,
  type MemoryKey,
  type MemoryRow,
  type MemoryStore,
  type StoredMemory,
  type WriteResult,
} from '../live/MemoryStore.ts';
import { insertNew, type MongoDatabase, ofAccount } from './MongoDatabase.ts';
import { SERIES_MEMORY } from './mongoSchema.ts';

/** `_id`: account and series, in the order of the rows. */
type MemoryDocument = {
  readonly _id: string;
  readonly series: string;
  readonly bytes: Binary;
  readonly revision: number;
  readonly writtenAtMs: number;
};

/** No part contains a blank. */
const idOf = ({ accountId, series }: MemoryKey): string => `${accountId} ${series}`;

async function readMemory(
  collection: Collection<MemoryDocument>,
  key: MemoryKey,
  known: number,
): Promise<StoredMemory | 'unchanged' | undefined> {
  if (known > 0) {
    const stored = await collection.findOne({ _id: idOf(key) }, { projection: { revision: 1 } });
    if (stored === null) return undefined;
    if (stored.revision === known) return 'unchanged';
  }
  const found = await collection.findOne({ _id: idOf(key) });
  if (found === null || isMemory(found)) return found === null ? undefined : { bytes: found.bytes.value(), revision: found.revision };
  // No write would find it: it begins again.
  await collection.deleteOne({ _id: idOf(key) });
  return undefined;
}

const isMemory = ({ bytes, revision }: MemoryDocument): boolean =>
  bytes instanceof Binary && Number.isSafeInteger(revision) && revision >= 1;

async function writeMemory(
  collection: Collection<MemoryDocument>,
  { bytes, ...key }: MemoryRow,
  before: number,
  atMs: number,
): Promise<WriteResult> {
  const content = { bytes: new Binary(bytes), writtenAtMs: atMs };
  if (before > 0) {
    const { matchedCount } = await collection.updateOne({ _id: idOf(key), revision: before }, { $set: content, $inc: { revision: 1 } });
    return matchedCount === 1;
  }
  const inUse = { ...ofAccount(key.accountId), series: { $ne: key.series }, writtenAtMs: { $gt: atMs - IN_USE_MS } };
  if ((await collection.countDocuments(inUse)) >= MOST_MEMORIES) return 'full';
  if (!(await insertNew(collection, { _id: idOf(key), series: key.series, ...content, revision: 1 }))) return false;
  const rest = await collection
    .find(ofAccount(key.accountId), { projection: { _id: 1 } })
    .sort({ writtenAtMs: -1, _id: 1 })
    .skip(MOST_MEMORIES)
    .toArray();
  if (rest.length > 0) await collection.deleteMany({ _id: { $in: rest.map(({ _id }) => _id) } });
  return true;
}

export function mongoMemories({ db, keepOf }: MongoDatabase): MemoryStore {
  const collection = db.collection<MemoryDocument>(SERIES_MEMORY);
  return {
    readMemory: (key, known = 0) => readMemory(collection, key, known),
    writeMemory: (row, before, atMs) => {
      const write = (): Promise<WriteResult> => writeMemory(collection, row, before, atMs);
      return before > 0 ? write() : keepOf([row], write);
    },
    listMemories: async (accountId) => {
      const found = await collection.find(ofAccount(accountId)).sort({ _id: 1 }).toArray();
      return found.filter(isMemory).map(({ series, bytes }) => ({ accountId, series, bytes: bytes.value() }));
    },
    importMemories: (rows, atMs) =>
      keepOf(rows, async () => {
        for (const row of rows) await writeMemory(collection, row, 0, atMs);
      }),
  };
}
