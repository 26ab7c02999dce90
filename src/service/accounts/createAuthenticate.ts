import type { Clock } from '../../core/Clock.ts';
import { isWellFormedKey } from './accountKeys.ts';
import type { Identity, KeyAuthenticator } from './KeyAuthenticator.ts';
import { MemoryCounter } from './limits/MemoryCounter.ts';
import { rateLimit, type RateLimit } from './limits/RateLimit.ts';

/** Finds the owner of the key in a header; `subject` is the address as the limits count it. */
export type Authenticate = (header: string | undefined, subject: string) => Promise<Identity | undefined>;

/** Longer than a store call, so that a key that never existed and a revoked key take the same time. */
const REFUSAL_MS = 10;
/** Limit of store calls for an address over its limit. */
const LATE_CHECKS = { name: 'late checks of keys', quota: 10, windowSeconds: 1 };

/**
 * Finds the owner of a key, for addresses that have not sent too many invalid ones. A key that is cached, or was valid within the last
 * hours, does not count. Any other key takes a permit before the store call and returns it if the key is valid. Over the limit, some keys
 * are still checked, so that a valid key is accepted at an address whose limit another caller has used up. Throws ServiceError
 * `limit.exceeded`, `store.unavailable`.
 */
export function createAuthenticate(keys: KeyAuthenticator, failedKeys: Pick<RateLimit, 'take'>, clock: Clock): Authenticate {
  const lateChecks = rateLimit(LATE_CHECKS, new MemoryCounter(LATE_CHECKS, clock));

  /** Takes the same time for every invalid key. */
  const check = async (header: string): Promise<Identity | undefined> => {
    const startMs = clock.monotonicMs();
    const identity = await keys.authenticate(header);
    const restMs = startMs + REFUSAL_MS - clock.monotonicMs();
    if (identity === undefined && restMs > 0) await new Promise<void>((resolve) => void clock.after(restMs, resolve));
    return identity;
  };

  const checkLate = async (header: string, subject: string, refusal: unknown): Promise<Identity> => {
    const isAdmitted = isWellFormedKey(header) && (await lateChecks.take(subject).catch(() => undefined)) !== undefined;
    const identity = isAdmitted ? await check(header) : undefined;
    if (identity === undefined) throw refusal;
    return identity;
  };

  return async (header, subject) => {
    if (header === undefined) return undefined;
    const known = keys.known(header);
    if (known !== undefined) return known;
    if (keys.wasValid(header)) return check(header);
    let permit;
    try {
      permit = await failedKeys.take(subject);
    } catch (refusal) {
      return checkLate(header, subject, refusal);
    }
    // The format of a key is public: a malformed key is refused at once.
    if (!isWellFormedKey(header)) return undefined;
    try {
      const identity = await check(header);
      if (identity !== undefined) await permit.giveBack();
      return identity;
    } catch (error) {
      // A failure of the store is not the fault of the caller.
      await permit.giveBack();
      throw error;
    }
  };
}
