import { isIPv6 } from 'node:net';
import type { Settings } from '../../../core/config/settings.ts';
import {
  type Counter,
  type CountUse,
  type ForecastLimit,
  forecastLimit,
  type LimitPolicy,
  type RateLimit,
  rateLimit,
} from './RateLimit.ts';

/** Quotas. */
type LimitQuotas = Omit<Settings['limits'], 'areShared'>;

export type Limits = {
  readonly forecasts: ForecastLimit;
  /** The others are counted by address, except one. */
  readonly signUps: RateLimit;
  readonly logins: RateLimit;
  readonly failedLogins: RateLimit;
  /** Counted by account, from all addresses: five times as many, so that a stranger cannot easily lock out the owner. */
  readonly failedLoginsOfAccount: RateLimit;
  readonly failedKeys: RateLimit;
};

const MINUTE = 60;
const HOUR = 3600;

/** Creates the counter for a policy. */
export type CounterOf = (policy: LimitPolicy) => Counter;

/**
 * Creates the limits of the service, one counter from `counterOf` for each policy; `nearCounterOf` creates counters that rarely wait for a
 * store. `countUse` gets the forecasts of each key.
 */
export function createLimits(quotas: LimitQuotas, counterOf: CounterOf, nearCounterOf = counterOf, countUse?: CountUse): Limits {
  const limit = (name: string, quota: number, windowSeconds: number): RateLimit => {
    const policy = { name, quota, windowSeconds };
    return rateLimit(policy, counterOf(policy));
  };
  // Not counted in the store one by one: a key that needs a store lookup should cost one round trip, not three.
  const refusedKeys = { name: 'refused keys', quota: quotas.failedKeysPerMinute, windowSeconds: MINUTE };
  return {
    forecasts: forecastLimit(
      limit('forecasts', quotas.forecastsPerMinute, MINUTE),
      limit('forecasts of this account', quotas.forecastsPerMinutePerAccount, MINUTE),
      countUse,
    ),
    signUps: limit('sign-ups', quotas.signupsPerHour, HOUR),
    logins: limit('logins', quotas.loginsPerMinute, MINUTE),
    failedLogins: limit('failed logins', quotas.failedLoginsPerHour, HOUR),
    failedLoginsOfAccount: limit('failed logins of this account', 5 * quotas.failedLoginsPerHour, HOUR),
    failedKeys: rateLimit(refusedKeys, nearCounterOf(refusedKeys)),
  };
}

/**
 * The form in which an address is counted: an IPv4 address as it is, also from its IPv6 form; for IPv6, the first 64 bits, because a
 * household or a host controls all the others.
 */
export function subjectOfAddress(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const plain = address.split('%')[0] ?? '';
  if (!isIPv6(plain)) return address;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  // A dotted tail is two groups.
  const length = left.length + right.length + (plain.includes('.') ? 1 : 0);
  const groups = tail === undefined ? left : [...left, ...Array<string>(Math.max(0, 8 - length)).fill('0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
