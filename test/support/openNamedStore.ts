import type { AccountStore } from '../../src/accounts/AccountStore.ts';
import { openSqliteStore } from '../../src/accounts/openSqliteStore.ts';

/** The stores that keep what they acknowledged, by name, so that another process can open one too. */
export type StoreKind = 'sqlite';

/** `place` is a folder. */
export async function openNamedStore(kind: StoreKind, place: string): Promise<AccountStore> {
  if (kind !== 'sqlite') throw new Error(`no store of kind ${String(kind)}`);
  return openSqliteStore(place);
}
