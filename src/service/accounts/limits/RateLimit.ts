import { ServiceError } from '../../../core/ServiceError.ts';

/** A quota per window; the window of a subject starts with its first unit. A quota of 0 means no limit. */
export type LimitPolicy = { readonly name: string; readonly quota: number; readonly windowSeconds: number };

/** State of a subject in its window. */
type Standing = { readonly remaining: number; readonly resetMs: number; readonly isLocal: boolean };

/** A permit: units of a limit, usually one. `headers` inform the caller about the limit: `RATE_HEADERS`. */
export type Permit = {
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the permit, so that it does not count. Resolves to the updated headers. Call it once. */
  giveBack(): Promise<Readonly<Record<string, string>>>;
};

/** Counts the requests of a subject (a key or an address) and refuses those above the quota. */
export type RateLimit = {
  /** The headers of a permit, without taking one. */
  look(subject: string): Promise<Permit['headers']>;
  /** Takes `count` units, by default 1, or none: throws ServiceError `limit.exceeded` with `Retry-After` and the headers of a permit. */
  take(subject: string, count?: number): Promise<Permit>;
};

/** `isLocal`: this replica counts alone, because the database that all replicas share does not answer. */
export type Counted = { readonly count: number; readonly resetMs: number; readonly isLocal?: boolean };

/** Counts without a limit. Throws if it cannot count. */
export type Counter = {
  /** Adds to the count of a subject, which restarts at 0 with each window, and returns it. */
  add(subject: string, count: number): Promise<Counted>;
};

/** Header fields of an answer that a limit counts. */
export const RATE_HEADERS = ['RateLimit', 'RateLimit-Policy', 'RateLimit-Scope'] as const;

/** Header fields of draft-ietf-httpapi-ratelimit-headers-10, and one of our own while the database does not answer. */
function headersOf({ name, quota, windowSeconds }: LimitPolicy, { remaining, resetMs, isLocal }: Standing): Record<string, string> {
  return {
    RateLimit: `"${name}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
    'RateLimit-Policy': `"${name}";q=${quota};w=${windowSeconds}`,
    ...(isLocal ? { 'RateLimit-Scope': 'replica' } : {}),
  };
}

const UNLIMITED: RateLimit = {
  look: () => Promise.resolve({}),
  take: () => Promise.resolve({ headers: {}, giveBack: () => Promise.resolve({}) }),
};

/** What the forecasts of a caller count for. */
export type Caller = { readonly keyId: string; readonly accountId: string };

/** Counts forecasts for their key and for its account, so that more keys, or new ones, give no more forecasts. */
export type ForecastLimit = {
  take(caller: Caller, count?: number): Promise<Permit>;
  look(caller: Caller): Promise<Permit['headers']>;
};

/** Adds forecasts and refused forecasts to the use of a key on a UTC day, by default the present one; returns the day. */
export type CountUse = (caller: Caller, forecasts: number, refused: number, day?: string) => string;

/** Remaining units by the headers of a limit; a limit that is off has none. */
const remainingOf = ({ RateLimit }: Permit['headers']): number => Number(/;r=(\d+)/.exec(RateLimit ?? '')?.[1] ?? Infinity);

/** Both limits where the account has less left than the key: with one key, the headers are those of the key. */
function joined(key: Permit['headers'], account: Permit['headers']): Permit['headers'] {
  const { 'RateLimit-Scope': scope } = account;
  if (remainingOf(account) >= remainingOf(key)) return scope === undefined ? key : { ...key, 'RateLimit-Scope': scope };
  const both = (name: string): string => [key[name] ?? [], account[name] ?? []].flat().join(', ');
  return { ...key, ...account, RateLimit: both('RateLimit'), 'RateLimit-Policy': both('RateLimit-Policy') };
}

/** Two limits as one. `countUse` gets what they admit, less the permits that are returned, and what they refuse. */
export function forecastLimit(ofKey: RateLimit, ofAccount: RateLimit, countUse: CountUse = () => ''): ForecastLimit {
  return {
    async take(caller, count = 1) {
      let key: Permit | undefined;
      try {
        const taken = (key = await ofKey.take(caller.keyId, count));
        const account = await ofAccount.take(caller.accountId, count);
        const day = countUse(caller, count, 0);
        return {
          headers: joined(key.headers, account.headers),
          giveBack: async () => {
            countUse(caller, -count, 0, day);
            return joined(await taken.giveBack(), await account.giveBack());
          },
        };
      } catch (error) {
        const given = await key?.giveBack();
        if (!(error instanceof ServiceError) || error.code !== 'limit.exceeded') throw error;
        countUse(caller, 0, count);
        throw given === undefined ? error : new ServiceError(error.code, error.message, { headers: joined(given, error.headers) });
      }
    },
    look: async ({ keyId, accountId }) => joined(await ofKey.look(keyId), await ofAccount.look(accountId)),
  };
}

/** A limit based on a counter; a quota of 0 never refuses. */
export function rateLimit(policy: LimitPolicy, counter: Counter): RateLimit {
  if (policy.quota === 0) return UNLIMITED;
  const standing = ({ count, resetMs, isLocal = false }: Counted): Standing => ({
    remaining: Math.max(0, policy.quota - count),
    resetMs: Math.max(0, resetMs),
    isLocal,
  });
  return {
    look: async (subject) => headersOf(policy, standing(await counter.add(subject, 0))),
    async take(subject, units = 1) {
      const counted = await counter.add(subject, units);
      if (counted.count <= policy.quota) {
        const giveBack = async () => headersOf(policy, standing(await counter.add(subject, -units)));
        return { headers: headersOf(policy, standing(counted)), giveBack };
      }
      // Units that were left stay usable.
      const headers = headersOf(policy, standing(units === 1 ? counted : await counter.add(subject, -units)));
      const seconds = Math.max(1, Math.ceil(counted.resetMs / 1000));
      const rule = `The limit of ${policy.quota} ${policy.name} in ${policy.windowSeconds} s`;
      const detail =
        units === 1
          ? `${rule} is used up; try again in ${seconds} s.`
          : `${rule} leaves fewer than the ${units} of this request; send fewer or try again in ${seconds} s.`;
      throw new ServiceError('limit.exceeded', detail, { headers: { ...headers, 'Retry-After': String(seconds) } });
    },
  };
}
