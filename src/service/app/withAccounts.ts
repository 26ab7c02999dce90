import { AccountService } from '../accounts/AccountService.ts';
import { type Account, type AccountStore, findAccountByEmail, type StoreAccess } from '../accounts/AccountStore.ts';
import type { Origin } from '../accounts/AuditEvent.ts';
import { KeyService } from '../accounts/KeyService.ts';
import { requireServedStore } from './servedStore.ts';
import type { Settings } from '../../core/config/settings.ts';
import { systemClock, type Clock } from '../../core/Clock.ts';
import { ServiceError, quoteValue } from '../../core/ServiceError.ts';

export const OPERATOR: Origin = { actor: 'operator', requestId: null };

/** For commands that change nothing: they work on a store that they may not write, too. */
export const READS_ONLY: StoreAccess = { readsOnly: true };

/** Accounts for commands, over the live store: running services follow once their cache entries expire. */
export type OpenAccounts = {
  readonly store: AccountStore;
  readonly accounts: AccountService;
  readonly keys: KeyService;
  readonly clock: Clock;
  /** By e-mail or id. Throws ServiceError `account.unknown`. */
  find(emailOrId: string): Promise<Account>;
};

/** `isOther`: works on a store that the service of DATA_DIR does not use (yet). */
type Access = StoreAccess & { readonly isOther?: boolean };

/** For commands that add accounts: creates a store that is missing. */
export const withNewAccounts = <T>(settings: Settings, use: (open: OpenAccounts) => Promise<T>, access: Access = {}): Promise<T> =>
  withAccounts(settings, use, { isExpected: false, ...access });

/**
 * Opens the store of the settings, runs `use` and closes it. A file that is missing is refused, and a store that the service of DATA_DIR does not use: a backup of
 * it would have no account, or old ones. Throws ServiceError `store.refused`, and what either throws. SQLite and argon2 are loaded here, so that no other command waits for them.
 */
export async function withAccounts<T>(settings: Settings, use: (open: OpenAccounts) => Promise<T>, access: Access = {}): Promise<T> {
  const { isOther = false, ...storeAccess } = access;
  if (!isOther) requireServedStore(settings);
  const [{ openStore }, { Argon2Hasher }] = await Promise.all([import('./openStore.ts'), import('../accounts/Argon2Hasher.ts')]);
  const clock = systemClock;
  // Nothing is counted at the command line.
  const { store, close } = await openStore({ ...settings, limits: { ...settings.limits, areShared: false } }, clock, undefined, undefined, {
    isExpected: true,
    ...storeAccess,
  });
  try {
    const hasher = new Argon2Hasher(settings.passwordHash, clock);
    return await use({
      store,
      clock,
      accounts: new AccountService({ store, hasher, clock, isSignUpOpen: true }),
      keys: new KeyService({ store, clock, graceMs: settings.keyGraceMs }),
      async find(emailOrId) {
        const found = await (emailOrId.includes('@') ? findAccountByEmail(store, emailOrId) : store.findAccount(emailOrId));
        if (found === undefined) throw new ServiceError('account.unknown', `There is no account ${quoteValue(emailOrId)}.`);
        return found;
      },
    });
  } finally {
    await close();
  }
}
