import type { Collection } from 'mongodb';
import type { SealedBlock, SealedStore } from '../live/sealedChain.ts';
import { insertNew, type MongoDatabase, ofAccount } from './MongoDatabase.ts';
import { INSTALLATION, SEALED_FORECASTS } from './mongoSchema.ts';

/** `_id`: account and `first` with leading zeros, in the order of the blocks. */
type SealedDocument = SealedBlock & { readonly _id: string };

const DIGITS = 16;
/** No part contains a blank. */
const idOf = (accountId: string, first: number): string => `${accountId} ${String(first).padStart(DIGITS, '0')}`;
const toBlock = ({ _id, ...block }: SealedDocument): SealedBlock => block;

async function endOf(collection: Collection<SealedDocument>, accountId: string): Promise<Pick<SealedBlock, 'n' | 'head'> | undefined> {
  const projection = { _id: 0, n: 1, head: 1 } as const;
  const [last] = await collection.find(ofAccount(accountId), { projection }).sort({ _id: -1 }).limit(1).toArray();
  return last;
}

/** Only one block of an account can have a place, and the block before it never changes. */
async function add(collection: Collection<SealedDocument>, block: SealedBlock): Promise<boolean> {
  const last = await endOf(collection, block.accountId);
  if (last !== undefined && (last.n !== block.first || last.head !== block.previous)) return false;
  return insertNew(collection, { _id: idOf(block.accountId, block.first), ...block });
}

export function mongoSealed({ db, keepOf }: MongoDatabase): SealedStore {
  const collection = db.collection<SealedDocument>(SEALED_FORECASTS);
  const installation = db.collection<{ _id: string; value: string }>(INSTALLATION);
  return {
    sealKey: async (candidate) => {
      // Another process may have inserted its own.
      if (candidate !== undefined) await insertNew(installation, { _id: 'seal_key', value: candidate });
      return (await installation.findOne({ _id: 'seal_key' }))?.value;
    },
    lastSealed: async (accountId) => {
      const [last] = await collection.find(ofAccount(accountId)).sort({ _id: -1 }).limit(1).toArray();
      return last && toBlock(last);
    },
    listSealed: async ({ accountId, from, limit }) => {
      const found = collection.find({ _id: { ...ofAccount(accountId)._id, $gte: idOf(accountId, from) } });
      return (await found.sort({ _id: 1 }).limit(limit).toArray()).map(toBlock);
    },
    addSealed: (blocks) =>
      keepOf(blocks, async () => {
        const added: boolean[] = [];
        // One after the other: those of an account follow each other.
        for (const block of blocks) added.push(await add(collection, block));
        return added;
      }),
    trimSealed: async (accountId, mostLines) => {
      const last = await endOf(collection, accountId);
      if (last !== undefined)
        await collection.deleteMany({ ...ofAccount(accountId), first: { $lt: last.n - mostLines }, n: { $lt: last.n } });
    },
  };
}
