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
  /** Counted by key. */
  readonly forecasts: RateLimit;
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
 * Creates the limits of the service, one counter from `counterOf` for each policy; `nearCounterOf` creates counters that never wait for a
 * store.
 */
export function createLimits(quotas: LimitQuotas, counterOf: CounterOf, nearCounterOf = counterOf): Limits {
  const limit = (name: string, quota: number, windowSeconds: number): RateLimit => {
    const policy = { name, quota, windowSeconds };
    return rateLimit(policy, counterOf(policy));
  };
  // Not counted in the store: a key that needs a store lookup should cost one round trip, not three.
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
