import { ServiceError } from '../../core/ServiceError.ts';

/** So many in each window; the window of a subject begins with its first. A quota of 0 is no limit. */
export type LimitPolicy = { readonly name: string; readonly quota: number; readonly windowSeconds: number };

/** Where a subject stands in its window. */
export type Standing = { readonly remaining: number; readonly resetMs: number };

/** One unit that was taken. `headers` tell the caller where it stands: `RateLimit` and `RateLimit-Policy`. */
export type Turn = {
  readonly headers: Readonly<Record<string, string>>;
  /** Gives the unit back: it shall not count. Resolves to the headers as they are then. Called once. */
  giveBack(): Promise<Readonly<Record<string, string>>>;
};

/** Counts what a subject does, a key or an address, and refuses what is too much. */
export type RateLimit = {
  /** Throws ServiceError `limit.exceeded` with `Retry-After` and the headers of a turn. */
  take(subject: string): Promise<Turn>;
};

/** Counts without judging. Throws where it cannot count. */
export type Counter = {
  /** Adds to a subject's count, which begins anew with each window, and gives it. */
  add(subject: string, count: number): Promise<{ readonly count: number; readonly resetMs: number }>;
};

/** The fields of draft-ietf-httpapi-ratelimit-headers-10. */
function headersOf({ name, quota, windowSeconds }: LimitPolicy, { remaining, resetMs }: Standing): Record<string, string> {
  return {
    RateLimit: `"${name}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
    'RateLimit-Policy': `"${name}";q=${quota};w=${windowSeconds}`,
  };
}

const UNLIMITED: RateLimit = { take: () => Promise.resolve({ headers: {}, giveBack: () => Promise.resolve({}) }) };

/** A limit over a counter; a quota of 0 never refuses. */
export function rateLimit(policy: LimitPolicy, counter: Counter): RateLimit {
  if (policy.quota === 0) return UNLIMITED;
  const standing = ({ count, resetMs }: { count: number; resetMs: number }): Standing => ({
    remaining: Math.max(0, policy.quota - count),
    resetMs: Math.max(0, resetMs),
  });
  return {
    async take(subject) {
      const counted = await counter.add(subject, 1);
      const headers = headersOf(policy, standing(counted));
      if (counted.count <= policy.quota) {
        return { headers, giveBack: async () => headersOf(policy, standing(await counter.add(subject, -1))) };
      }
      const seconds = Math.max(1, Math.ceil(counted.resetMs / 1000));
      const detail = `The limit of ${policy.quota} ${policy.name} in ${policy.windowSeconds} s is used up; try again in ${seconds} s.`;
      throw new ServiceError('limit.exceeded', detail, { headers: { ...headers, 'Retry-After': String(seconds) } });
    },
  };
}
