import type { Clock } from '../core/Clock.ts';
import { isWellFormedKey } from './apiKey.ts';
import type { Identity, KeyAuthenticator } from './KeyAuthenticator.ts';
import { MemoryCounter } from './limits/MemoryCounter.ts';
import { rateLimit, type RateLimit } from './limits/RateLimit.ts';

/** Whose key a header carries; `subject` is what the caller's address is counted as. */
export type Authenticate = (header: string | undefined, subject: string) => Promise<Identity | undefined>;

/** Above the time of a store call: a key that was never issued and one that was revoked take the same. */
const REFUSAL_MS = 10;
/** Keys that the store is asked about for an address over its limit. */
const LATE_CHECKS = { name: 'late checks of keys', quota: 10, windowSeconds: 1 };

/**
 * Finds the owner of a key, for addresses that have not sent too many bad ones. A key that is kept, or was good within the last hours, is not
 * counted. Any other key is counted before the store is asked, and given back when it is good. Over the limit, some keys are checked all the same, so
 * that a good key gets in at an address that a stranger has used up. Throws ServiceError `limit.exceeded`, `store.unavailable`.
 */
export function guardKeys(keys: KeyAuthenticator, failedKeys: RateLimit, clock: Clock): Authenticate {
  const lateChecks = rateLimit(LATE_CHECKS, new MemoryCounter(LATE_CHECKS, clock));

  /** Takes the same time for every key that is not good. */
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
    if (keys.wasGood(header)) return check(header);
    let turn;
    try {
      turn = await failedKeys.take(subject);
    } catch (refusal) {
      return checkLate(header, subject, refusal);
    }
    // The form of a key is public: a header without it is refused at once.
    if (!isWellFormedKey(header)) return undefined;
    try {
      const identity = await check(header);
      if (identity !== undefined) await turn.giveBack();
      return identity;
    } catch (error) {
      // That the store does not answer is not the caller's fault.
      await turn.giveBack();
      throw error;
    }
  };
}
