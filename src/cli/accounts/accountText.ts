import { apiKeysOf, keyStatus, sumUse } from '../../service/accounts/accountKeys.ts';
import type { Account, StoredKey } from '../../service/accounts/AccountStore.ts';
import type { AuditEvent } from '../../service/accounts/AuditEvent.ts';
import { plural } from '../../core/plural.ts';
import { plain } from '../CliContext.ts';

const isoTime = (ms: number): string => new Date(ms).toISOString();
const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

/** A key without its digest. */
export function keyJson(key: StoredKey, nowMs: number): Record<string, unknown> {
  return {
    id: key.id,
    prefix: key.prefix,
    name: key.name,
    status: keyStatus(key, nowMs),
    createdAt: isoTime(key.createdAtMs),
    expiresAt: isoTimeOrNull(key.expiresAtMs),
    graceUntil: isoTimeOrNull(key.graceUntilMs),
    revokedAt: isoTimeOrNull(key.revokedAtMs),
    lastUsedAt: isoTimeOrNull(key.lastUsedAtMs),
    ...sumUse(key, nowMs),
  };
}

/** An account without its password hash and the digests of its keys. */
export function accountJson(account: Account, nowMs: number): Record<string, unknown> {
  return {
    id: account.id,
    email: account.email,
    companyId: account.companyId,
    createdAt: isoTime(account.createdAtMs),
    disabledAt: isoTimeOrNull(account.disabledAtMs),
    keys: apiKeysOf(account).map((key) => keyJson(key, nowMs)),
  };
}

export function eventJson({ atMs, ...event }: AuditEvent): Record<string, unknown> {
  return { at: isoTime(atMs), ...event };
}

export function accountLine(account: Account, nowMs: number): string {
  const live = apiKeysOf(account).filter((key) => ['active', 'grace'].includes(keyStatus(key, nowMs))).length;
  const company = account.companyId === null ? '' : `, ${plain(account.companyId)}`;
  const disabled = account.disabledAtMs === null ? '' : `, DISABLED since ${isoTime(account.disabledAtMs)}`;
  return `${plain(account.email)}  ${account.id}${company}, since ${isoTime(account.createdAtMs)}, ${plural(live, 'key works', 'keys work')}${disabled}`;
}

export function keyLine(key: StoredKey, nowMs: number): string {
  const { today, last30Days } = sumUse(key, nowMs);
  const parts = [
    keyStatus(key, nowMs),
    key.name === null ? '' : plain(key.name),
    `issued ${isoTime(key.createdAtMs)}`,
    key.expiresAtMs === null ? '' : `expires ${isoTime(key.expiresAtMs)}`,
    key.graceUntilMs === null ? '' : `replaced, grace until ${isoTime(key.graceUntilMs)}`,
    key.revokedAtMs === null ? '' : `revoked ${isoTime(key.revokedAtMs)}`,
    key.lastUsedAtMs === null ? 'never used' : `last used ${isoTime(key.lastUsedAtMs)}`,
    last30Days.forecasts === 0 ? '' : `${plural(last30Days.forecasts, 'forecast')} in 30 days, ${today.forecasts} today`,
    last30Days.refused === 0 ? '' : `${last30Days.refused} refused in 30 days, ${today.refused} today`,
  ];
  return `${key.prefix}…  ${key.id}  ${parts.filter((part) => part !== '').join(', ')}`;
}

export function eventLine({ atMs, action, actor, accountId, keyId, requestId }: AuditEvent): string {
  const details = [`by ${actor}`, keyId === null ? '' : `key ${keyId}`, requestId === null ? '' : `request ${requestId}`];
  return `${isoTime(atMs)}  ${action}  account ${accountId}  ${details.filter((part) => part !== '').join(', ')}`;
}
