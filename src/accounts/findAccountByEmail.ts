import type { Account, AccountStore } from './AccountStore.ts';
import { emailKeysOf } from './emailRules.ts';

/**
 * The account of an e-mail however it is written, also where an earlier version stored it under another compared form. Every form is looked for, so
 * that the number of store calls depends on the e-mail alone. Throws ServiceError `store.unavailable`.
 */
export async function findAccountByEmail(store: Pick<AccountStore, 'findAccountByEmailKey'>, email: string): Promise<Account | undefined> {
  const found = await Promise.all(emailKeysOf(email).map((key) => store.findAccountByEmailKey(key)));
  return found.find((account) => account !== undefined);
}
