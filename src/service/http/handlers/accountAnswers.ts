import { keyEndMs, keyStatus, sumUse } from '../../accounts/accountKeys.ts';
import type { StoredKey } from '../../accounts/AccountStore.ts';
import type { Identity } from '../../accounts/KeyAuthenticator.ts';
import type { IssuedKey, RotatedKey } from '../../accounts/KeyService.ts';
import { type IssuedKeyAnswer, type KeyAnswer, type RotatedKeyAnswer, type MeAnswer, SIGNUP_MESSAGE } from '../../../contract/account.ts';
import { isoTime } from './handlerParts.ts';

const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

export function meAnswer(caller: Identity): MeAnswer {
  return {
    email: caller.email,
    company_id: caller.companyId,
    key: {
      id: caller.keyId,
      prefix: caller.keyPrefix,
      name: caller.keyName,
      created_at: isoTime(caller.keyCreatedAtMs),
      expires_at: isoTimeOrNull(caller.keyEndMs),
    },
  };
}

export function keyAnswer(key: StoredKey, nowMs: number): KeyAnswer {
  const { today, last30Days } = sumUse(key, nowMs);
  return {
    id: key.id,
    prefix: key.prefix,
    name: key.name,
    status: keyStatus(key, nowMs),
    created_at: isoTime(key.createdAtMs),
    expires_at: isoTimeOrNull(key.expiresAtMs),
    grace_until: isoTimeOrNull(key.graceUntilMs),
    revoked_at: isoTimeOrNull(key.revokedAtMs),
    last_used_at: isoTimeOrNull(key.lastUsedAtMs),
    forecasts_today: today.forecasts,
    forecasts_30_days: last30Days.forecasts,
    refused_today: today.refused,
    refused_30_days: last30Days.refused,
  };
}

export function issuedKeyAnswer({ apiKey, key }: IssuedKey): IssuedKeyAnswer {
  return { message: SIGNUP_MESSAGE, id: key.id, api_key: apiKey, name: key.name, expires_at: isoTimeOrNull(key.expiresAtMs) };
}

export function rotatedKeyAnswer(rotated: RotatedKey): RotatedKeyAnswer {
  const { replaced } = rotated;
  // A rotated key always has an end.
  return { ...issuedKeyAnswer(rotated), replaced: { id: replaced.id, works_until: isoTime(keyEndMs(replaced) ?? 0) } };
}
