import type { AccountStore } from '../../src/service/accounts/AccountStore.ts';
import { openMongo } from '../../src/service/accounts/openMongo.ts';
import { openSqliteStore } from '../../src/service/accounts/openSqliteStore.ts';

/** The durable stores by name, so that another process can open one too. */
export type StoreKind = 'sqlite' | 'mongodb';

/** Time limit of a call: other tests may keep the processors busy. */
export const PATIENT_MS = 30_000;

/** `place` is a folder, or the URI of a MongoDB with the name of a database. */
export async function openNamedStore(kind: StoreKind, place: string, options: { mostRecords?: number } = {}): Promise<AccountStore> {
  if (kind === 'mongodb') return (await openMongo(place, { answerMs: PATIENT_MS, ...options })).store;
  return openSqliteStore(place, { waitMs: PATIENT_MS, ...options });
}
