import { createHash } from 'node:crypto';
import type { Account, StoredKey } from '../../src/accounts/AccountStore.ts';

/** The digest of the key that goes with an account of `sampleAccount`. */
export function sampleDigest(accountId: string): string {
  return createHash('sha256').update(accountId).digest('hex');
}

/** An account and its first key, both named after `id`; no two ids share anything but what is given. */
export function sampleAccount(id: string, given: Partial<Account> = {}): { account: Account; key: StoredKey } {
  const account: Account = {
    id,
    email: `${id}@Example.com`,
    emailKey: `${id}@example.com`,
    companyId: null,
    passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA',
    createdAtMs: 1_704_067_200_123,
    ...given,
  };
  const key: StoredKey = {
    id: `key-of-${id}`,
    accountId: id,
    digest: sampleDigest(id),
    prefix: 'tkm_live_AbCd',
    name: null,
    createdAtMs: 1_704_067_200_123,
    expiresAtMs: null,
    revokedAtMs: null,
  };
  return { account, key };
}
