import type { Counter, LimitPolicy, RateLimit } from './RateLimit.ts';
import { rateLimit } from './RateLimit.ts';

/** Quotas: `Settings['limits']` has this shape. */
export type LimitQuotas = {
  readonly forecastsPerMinute: number;
  readonly signupsPerHour: number;
  readonly loginsPerMinute: number;
  readonly failedLoginsPerHour: number;
  readonly failedKeysPerMinute: number;
};

export type Limits = {
  /** By key. */
  readonly forecasts: RateLimit;
  /** The rest by address, but for one. */
  readonly signUps: RateLimit;
  readonly logins: RateLimit;
  readonly failedLogins: RateLimit;
  /** By account, from whatever addresses: five times as many, so that a stranger cannot easily keep the owner out. */
  readonly failedLoginsOfAccount: RateLimit;
  readonly failedKeys: RateLimit;
};

const MINUTE = 60;
const HOUR = 3600;

/** Makes a counter for a policy. */
export type CounterOf = (policy: LimitPolicy) => Counter;

/** Every limit of the service over counters that `counterOf` makes, one for each policy; `nearCounterOf` makes those that ask no store. */
export function createLimits(quotas: LimitQuotas, counterOf: CounterOf, nearCounterOf = counterOf): Limits {
  const limit = (name: string, quota: number, windowSeconds: number): RateLimit => {
    const policy = { name, quota, windowSeconds };
    return rateLimit(policy, counterOf(policy));
  };
  // Not in the store: a key that the store must be asked about shall cost one round trip, not three.
  const refusedKeys = { name: 'refused keys', quota: quotas.failedKeysPerMinute, windowSeconds: MINUTE };
  return {
    forecasts: limit('forecasts', quotas.forecastsPerMinute, MINUTE),
    signUps: limit('sign-ups', quotas.signupsPerHour, HOUR),
    logins: limit('logins', quotas.loginsPerMinute, MINUTE),
    failedLogins: limit('failed logins', quotas.failedLoginsPerHour, HOUR),
    failedLoginsOfAccount: limit('failed logins of this account', 5 * quotas.failedLoginsPerHour, HOUR),
    failedKeys: rateLimit(refusedKeys, nearCounterOf(refusedKeys)),
  };
}
