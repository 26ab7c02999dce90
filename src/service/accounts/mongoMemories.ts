import { Binary, type Collection } from 'mongodb';
import { IN_USE_MS, MOST_MEMORIES, type MemoryKey, type MemoryRow, type StoredMemory, type WriteResult } from '../live/MemoryStore.ts';
import { isDuplicate } from './mongoRecords.ts';

/** `_id`: account and series, in the order of the rows. */
export type MemoryDocument = {
  readonly _id: string;
  readonly series: string;
  readonly bytes: Binary;
  readonly revision: number;
  readonly writtenAtMs: number;
};

/** No part contains a blank. */
const idOf = ({ accountId, series }: MemoryKey): string => `${accountId} ${series}`;
/** Blank and exclamation mark are neighbours. */
const ofAccount = (accountId: string) => ({ _id: { $gte: `${accountId} `, $lt: `${accountId}!` } });

export async function readMemory(
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

export async function writeMemory(
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
  try {
    await collection.insertOne({ _id: idOf(key), series: key.series, ...content, revision: 1 });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return false;
  }
  const rest = await collection
    .find(ofAccount(key.accountId), { projection: { _id: 1 } })
    .sort({ writtenAtMs: -1, _id: 1 })
    .skip(MOST_MEMORIES)
    .toArray();
  if (rest.length > 0) await collection.deleteMany({ _id: { $in: rest.map(({ _id }) => _id) } });
  return true;
}

export async function listMemories(collection: Collection<MemoryDocument>, accountId: string): Promise<MemoryRow[]> {
  const found = await collection.find(ofAccount(accountId)).sort({ _id: 1 }).toArray();
  return found.filter(isMemory).map(({ series, bytes }) => ({ accountId, series, bytes: bytes.value() }));
}

export async function deleteMemories(collection: Collection<MemoryDocument>, accountId: string): Promise<void> {
  await collection.deleteMany(ofAccount(accountId));
}
