import type { Collection } from 'mongodb';
import type { SealedBlock, SealedPage } from '../live/sealedChain.ts';
import { isDuplicate } from './mongoRecords.ts';

/** `_id`: account and `first` with leading zeros, in the order of the blocks. */
export type SealedDocument = SealedBlock & { readonly _id: string };

const DIGITS = 16;
/** No part contains a blank. */
const idOf = (accountId: string, first: number): string => `${accountId} ${String(first).padStart(DIGITS, '0')}`;
/** Blank and exclamation mark are neighbours. */
export const ofAccount = (accountId: string, from = 0) => ({ _id: { $gte: idOf(accountId, from), $lt: `${accountId}!` } });
const toBlock = ({ _id, ...block }: SealedDocument): SealedBlock => block;

export async function sealKey(collection: Collection<{ _id: string; value: string }>, candidate?: string): Promise<string | undefined> {
  try {
    if (candidate !== undefined) await collection.updateOne({ _id: 'seal_key' }, { $setOnInsert: { value: candidate } }, { upsert: true });
  } catch (error) {
    // Another process has just inserted its own.
    if (!isDuplicate(error)) throw error;
  }
  return (await collection.findOne({ _id: 'seal_key' }))?.value;
}

export async function lastSealed(collection: Collection<SealedDocument>, accountId: string): Promise<SealedBlock | undefined> {
  const [last] = await collection.find(ofAccount(accountId)).sort({ _id: -1 }).limit(1).toArray();
  return last && toBlock(last);
}

export async function listSealed(collection: Collection<SealedDocument>, { accountId, from, limit }: SealedPage): Promise<SealedBlock[]> {
  return (await collection.find(ofAccount(accountId, from)).sort({ _id: 1 }).limit(limit).toArray()).map(toBlock);
}

async function endOf(collection: Collection<SealedDocument>, accountId: string): Promise<Pick<SealedBlock, 'n' | 'head'> | undefined> {
  const projection = { _id: 0, n: 1, head: 1 } as const;
  const [last] = await collection.find(ofAccount(accountId), { projection }).sort({ _id: -1 }).limit(1).toArray();
  return last;
}

/** Only one block of an account can have a place, and the block before it never changes. */
export async function addSealed(collection: Collection<SealedDocument>, blocks: readonly SealedBlock[]): Promise<boolean[]> {
  const add = async (block: SealedBlock): Promise<boolean> => {
    const last = await endOf(collection, block.accountId);
    if (last !== undefined && (last.n !== block.first || last.head !== block.previous)) return false;
    try {
      await collection.insertOne({ _id: idOf(block.accountId, block.first), ...block });
      return true;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return false;
    }
  };
  const added: boolean[] = [];
  // One after the other: those of an account follow each other.
  for (const block of blocks) added.push(await add(block));
  return added;
}

export async function trimSealed(collection: Collection<SealedDocument>, accountId: string, mostLines: number): Promise<void> {
  const last = await endOf(collection, accountId);
  if (last !== undefined) await collection.deleteMany({ ...ofAccount(accountId), first: { $lt: last.n - mostLines }, n: { $lt: last.n } });
}
