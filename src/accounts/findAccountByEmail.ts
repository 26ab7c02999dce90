import type { Account, AccountStore } from './AccountStore.ts';
import { emailKeysOf } from './emailRules.ts';

/**
 * Finds the account of an e-mail in every normalised form, including those of older versions. Every form is looked up, so that the
 * number of store calls depends only on the e-mail. Throws ServiceError `store.unavailable`.
 */
export async function findAccountByEmail(store: Pick<AccountStore, 'findAccountByEmailKey'>, email: string): Promise<Account | undefined> {
  const found = await Promise.all(emailKeysOf(email).map((key) => store.findAccountByEmailKey(key)));
  return found.find((account) => account !== undefined);
}
