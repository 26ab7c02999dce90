import { createHash } from 'node:crypto';
import type { Account, KeyUse, StoredKey } from '../../src/service/accounts/AccountStore.ts';
import { ALERT_TYPES, type Delivery, type Webhook } from '../../src/service/alerts/Webhook.ts';
import { EMPTY_TALLY, type Tally } from '../../src/engine/live/score.ts';
import type { RecordRow } from '../../src/service/live/TrackRecord.ts';
import type { AuditAction, AuditEvent } from '../../src/service/accounts/AuditEvent.ts';

const CREATED_AT_MS = 1_704_067_200_123;

/** The digest of a key of `sampleKey`. */
export function sampleDigest(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

export function sampleKey(id: string, given: Partial<StoredKey> = {}): StoredKey {
  return {
    id: `key-of-${id}`,
    digest: sampleDigest(id),
    prefix: 'tkm_live_AbCd',
    name: null,
    createdAtMs: CREATED_AT_MS,
    expiresAtMs: null,
    revokedAtMs: null,
    graceUntilMs: null,
    lastUsedAtMs: null,
    ...given,
  };
}

export const SAMPLE_USE: KeyUse = { batch: 'batch-1', days: [{ day: '2026-11-23', forecasts: 5, refused: 2 }] };

/** An account with one key, both named after `id`; accounts with different ids have nothing in common except `given`. */
export function sampleAccount(id: string, given: Partial<Account> = {}): Account {
  return {
    id,
    email: `${id}@Example.com`,
    emailKey: `${id}@example.com`,
    companyId: null,
    passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA',
    createdAtMs: CREATED_AT_MS,
    disabledAtMs: null,
    keys: [sampleKey(id)],
    ...given,
  };
}

export function sampleEvent(id: string, accountId: string, given: Partial<AuditEvent> = {}): AuditEvent {
  const action: AuditAction = 'account.created';
  return { id, atMs: CREATED_AT_MS, action, actor: 'owner', accountId, keyId: null, requestId: null, ...given };
}

export function sampleWebhook(id: string, given: Partial<Webhook> = {}): Webhook {
  return {
    id: `w${id}`,
    url: `https://hooks.example.com/${id}?token=x`,
    secret: `whsec_${Buffer.alloc(24, id).toString('base64')}`,
    events: [...ALERT_TYPES],
    createdAtMs: CREATED_AT_MS,
    recordIsWorse: false,
    ...given,
  };
}

/** A delivery of an account to its target `w1`, due at 1. */
export function sampleDelivery(id: string, accountId: string, given: Partial<Delivery> = {}): Delivery {
  return {
    ...{ id, accountId, webhookId: 'w1', type: 'forecast.marked', body: `{"type":"forecast.marked","id":"${id}"}` },
    ...{ createdAtMs: 1, attempts: 0, error: null, failedAtMs: null },
    ...given,
  };
}

/** A row of the track record; `tally` replaces counts and sums that are 0. */
export function sampleRecord(
  accountId: string,
  { tally = {}, ...key }: Partial<Omit<RecordRow, 'tally'>> & { tally?: Partial<Tally> } = {},
): RecordRow {
  const where = { series: 'eurusd', model: 'base-1', bucket: 'h3m', ownThreshold: false, day: '2026-11-23' };
  return { accountId, ...where, ...key, tally: { ...EMPTY_TALLY, forecasts: 1, ...tally } };
}
