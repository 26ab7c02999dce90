import { randomBytes } from 'node:crypto';
import { apiKeysOf, isLive, sessionsOf } from '../../service/accounts/accountKeys.ts';
import { LOCAL_EMAIL } from '../../service/accounts/accountRules.ts';
import { WebhookService } from '../../service/accounts/WebhookService.ts';
import { OPERATOR, withAccounts, withNewAccounts, type OpenAccounts } from '../../service/app/withAccounts.ts';
import { findAccountByEmail } from '../../service/accounts/AccountStore.ts';
import { isLoopback, type Settings } from '../../core/config/settings.ts';

/** For a service that is killed, and cannot revoke the key. */
const LIFE_MS = 30 * 86_400_000;
const KEY_NAME = 'console link';

export type LocalLink = {
  /** The address of the console with the key in its fragment, which a browser sends to no server. */
  readonly url: string;
  /** Revokes the key. */
  revoke(): Promise<void>;
};

/**
 * A link that opens the console with a key already set, for the person at the terminal where the service was started. Undefined where others
 * could read the link or use it: standard output is no terminal, the service is reached from elsewhere, or the accounts are shared in MongoDB.
 * The key is one of an account of its own, of which the page makes a session; keys of earlier links are revoked.
 */
export async function openLocalLink(settings: Settings, serviceUrl: string, isTerminal: boolean): Promise<LocalLink | undefined> {
  const { localKey, host, trustProxy, mongodbUri } = settings;
  if (localKey === 'off' || !isTerminal || !isLoopback(host) || trustProxy || mongodbUri !== '') return undefined;
  const issued = await withNewAccounts(settings, issueLocalKey);
  if (issued === undefined) return undefined;
  const { accountId, keyId, apiKey } = issued;
  return {
    url: `${serviceUrl}/#key=${apiKey}`,
    revoke: () => withAccounts(settings, async ({ keys }) => void (await keys.revoke(accountId, keyId, OPERATOR))),
  };
}

/** Undefined: the operator has disabled the account. */
async function issueLocalKey({ store, accounts, keys, clock }: OpenAccounts) {
  // Kept nowhere: only the operator and the link get in.
  const password = randomBytes(24).toString('hex');
  const account = await findAccountByEmail(store, LOCAL_EMAIL);
  if (account !== undefined && account.disabledAtMs !== null) return undefined;
  const accountId = account?.id ?? (await accounts.signUp({ email: LOCAL_EMAIL, password }, OPERATOR)).accountId;
  const nowMs = clock.nowMs();
  // An earlier release let others sign up under this name, so nothing of theirs stays. A session was started by a link.
  const isOwn = account !== undefined && sessionsOf(account, nowMs).length > 0;
  if (account !== undefined && !isOwn) await accounts.changePassword(accountId, { password }, OPERATOR);
  const { keys: known, webhooks = [] } = (await store.findAccount(accountId)) ?? { keys: [] };
  const targets = new WebhookService({
    store,
    clock,
    allowsPrivate: false,
    post: () => Promise.reject(new Error('No alert is sent here.')),
  });
  if (!isOwn) for (const { id } of webhooks) await targets.remove(accountId, id, OPERATOR);
  for (const key of apiKeysOf({ keys: known }))
    if (isLive(key, nowMs) && (!isOwn || key.name === KEY_NAME)) await keys.revoke(accountId, key.id, OPERATOR);
  const expiresAt = `${new Date(nowMs + LIFE_MS).toISOString().slice(0, 19)}Z`;
  const { apiKey, key } = await keys.issue(accountId, { name: KEY_NAME, expiresAt }, OPERATOR);
  return { accountId, keyId: key.id, apiKey };
}
