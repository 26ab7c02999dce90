import { AccountService } from '../accounts/AccountService.ts';
import { Argon2Hasher } from '../accounts/Argon2Hasher.ts';
import { createAuthenticate } from '../accounts/createAuthenticate.ts';
import { KeyAuthenticator } from '../accounts/KeyAuthenticator.ts';
import { KeyService } from '../accounts/KeyService.ts';
import { KeyUses } from '../accounts/KeyUses.ts';
import { createLimits } from '../accounts/limits/createLimits.ts';
import type { StoreOutage } from '../accounts/StoreOutage.ts';
import { PasswordLogin } from '../accounts/PasswordLogin.ts';
import type { Settings } from '../../core/config/settings.ts';
import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';
import type { HttpParts } from '../http/HttpParts.ts';
import type { OpenStore } from './openStore.ts';
import { pruneRegularly } from './pruneRegularly.ts';

export type AccountParts = Pick<HttpParts, 'authenticate' | 'knownOwner' | 'login' | 'account' | 'accounts' | 'keys' | 'limits'>;

const MS_PER_DAY = 86_400_000;

/** Is notified of accounts that changed in this process and of keys that were found valid, and notifies of those of the others. */
export type OtherWorkers = {
  forget(accountId: string): void;
  onForget(run: (accountId: string) => void): void;
  tellValid(digest: string): void;
  onValid(run: (digest: string) => void): void;
};

/** The account services of the routes, over an open store. `close` flushes pending writes; the store stays open. */
export function joinAccounts(
  settings: Settings,
  { store, counterOf, nearCounterOf }: Pick<OpenStore, 'store' | 'counterOf' | 'nearCounterOf'>,
  {
    clock,
    logger,
    others,
    keysOutage: outage,
    onChange: onAccount,
  }: { clock: Clock; logger: Logger; others?: OtherWorkers | undefined; keysOutage: StoreOutage; onChange?: (accountId: string) => void },
): { parts: AccountParts; passwordsWaiting(): number; recheckKeys(emailKey: string): void; close(): Promise<void> } {
  const hasher = new Argon2Hasher(settings.passwordHash, clock);
  const uses = new KeyUses(store, clock);
  const limits = createLimits(settings.limits, counterOf, nearCounterOf, uses.count);
  const authenticator = new KeyAuthenticator({
    ...{ store, clock, cacheLifeMs: settings.keyCacheMs, outageMs: settings.keyOutageMs, outage, uses },
    onValid: others && ((digest) => others.tellValid(digest)),
  });
  const onChange = (accountId: string): void => {
    authenticator.invalidate(accountId);
    others?.forget(accountId);
    onAccount?.(accountId);
  };
  others?.onForget((accountId) => authenticator.invalidate(accountId));
  others?.onValid((digest) => authenticator.rememberValid(digest));
  const login = new PasswordLogin({ store, hasher, limits, clock, logger });
  const days = settings.auditRetentionDays;
  const prune = (): Promise<number> => store.pruneEvents(clock.nowMs() - days * MS_PER_DAY);
  const stopPruning = days === 0 ? () => {} : pruneRegularly('audit log', prune, { clock, logger });
  return {
    parts: {
      authenticate: createAuthenticate(authenticator, limits.failedKeys, clock),
      knownOwner: (header) => authenticator.known(header),
      login: (credentials, origin) => login.verify(credentials, origin),
      account: (id) => store.findAccount(id),
      accounts: new AccountService({ store, hasher, clock, isSignUpOpen: settings.signup === 'open', onChange }),
      keys: new KeyService({ store, clock, graceMs: settings.keyGraceMs, onChange }),
      limits,
    },
    passwordsWaiting: () => hasher.waiting,
    recheckKeys: (emailKey) => authenticator.recheck(emailKey),
    close: async () => {
      stopPruning();
      authenticator.close();
      await uses.write();
    },
  };
}
