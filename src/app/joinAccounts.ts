import { AccountService } from '../accounts/AccountService.ts';
import type { AccountStore } from '../accounts/AccountStore.ts';
import { Argon2Hasher } from '../accounts/Argon2Hasher.ts';
import { createAuthenticate } from '../accounts/createAuthenticate.ts';
import { KeyAuthenticator } from '../accounts/KeyAuthenticator.ts';
import { KeyService } from '../accounts/KeyService.ts';
import { createLimits } from '../accounts/limits/createLimits.ts';
import { PasswordLogin } from '../accounts/PasswordLogin.ts';
import type { Settings } from '../config/settings.ts';
import type { Clock } from '../core/Clock.ts';
import type { Logger } from '../core/Logger.ts';
import type { HttpParts } from '../http/HttpParts.ts';
import type { OpenStore } from './openStore.ts';

export type AccountParts = Pick<HttpParts, 'authenticate' | 'knownOwner' | 'login' | 'accounts' | 'keys' | 'limits'>;

const MS_PER_DAY = 86_400_000;
const PRUNE_MS = 6 * 3_600_000;

/** Deletes expired lines of the audit log, now and every six hours; returns a function that stops it. */
function pruneAuditLog(store: AccountStore, days: number, clock: Clock, logger: Logger): () => void {
  if (days === 0) return () => {};
  let cancel = (): void => {};
  const prune = (): void => {
    cancel = clock.after(PRUNE_MS, prune);
    store.pruneEvents(clock.nowMs() - days * MS_PER_DAY).then(
      (count) => {
        if (count > 0) logger.info('audit log pruned', { count, days });
      },
      (error: unknown) => logger.warn('audit log not pruned', { error }),
    );
  };
  prune();
  return () => cancel();
}

/** Is notified of keys that changed in this process, and notifies of those that changed in another. */
export type OtherWorkers = { forget(accountId: string): void; onForget(run: (accountId: string) => void): void };

/** The account services of the routes, over an open store. `close` flushes pending writes; the store stays open. */
export function joinAccounts(
  settings: Settings,
  { store, counterOf, nearCounterOf }: OpenStore,
  { clock, logger, others }: { clock: Clock; logger: Logger; others?: OtherWorkers | undefined },
): { parts: AccountParts; passwordsWaiting(): number; close(): Promise<void> } {
  const hasher = new Argon2Hasher(settings.passwordHash, clock);
  const limits = createLimits(settings.limits, counterOf, nearCounterOf);
  const authenticator = new KeyAuthenticator({ store, clock, cacheLifeMs: settings.keyCacheMs });
  const onChange = (accountId: string): void => {
    authenticator.invalidate(accountId);
    others?.forget(accountId);
  };
  others?.onForget((accountId) => authenticator.invalidate(accountId));
  const login = new PasswordLogin({ store, hasher, limits, clock, logger });
  const stopPruning = pruneAuditLog(store, settings.auditRetentionDays, clock, logger);
  return {
    parts: {
      authenticate: createAuthenticate(authenticator, limits.failedKeys, clock),
      knownOwner: (header) => authenticator.known(header),
      login: (credentials, origin) => login.verify(credentials, origin),
      accounts: new AccountService({ store, hasher, clock, isSignUpOpen: settings.signup === 'open', onChange }),
      keys: new KeyService({ store, clock, graceMs: settings.keyGraceMs, onChange }),
      limits,
    },
    passwordsWaiting: () => hasher.waiting,
    close: async () => {
      stopPruning();
      await authenticator.writeUses();
    },
  };
}
