import type { AccountStore } from '../../src/accounts/AccountStore.ts';
import { openMongo } from '../../src/accounts/openMongo.ts';
import { openSqliteStore } from '../../src/accounts/openSqliteStore.ts';

/** The durable stores by name, so that another process can open one too. */
export type StoreKind = 'sqlite' | 'mongodb';

/** `place` is a folder, or the URI of a MongoDB with the name of a database. */
export async function openNamedStore(kind: StoreKind, place: string): Promise<AccountStore> {
  return kind === 'mongodb' ? (await openMongo(place)).store : openSqliteStore(place);
}
