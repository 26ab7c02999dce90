import type { Clock } from '../core/Clock.ts';
import { isWellFormedKey } from './apiKey.ts';
import type { Identity, KeyAuthenticator } from './KeyAuthenticator.ts';
import type { RateLimit } from './limits/RateLimit.ts';

/** Whose key a header carries; `subject` is what the caller's address is counted as. */
export type Authenticate = (header: string | undefined, subject: string) => Promise<Identity | undefined>;

/** Above the time of a store call: a key that was never issued and one that was revoked take the same. */
const REFUSAL_MS = 10;

/**
 * Finds the owner of a key, for addresses that have not sent too many bad ones. A key that is kept is not counted at all; any other is counted
 * before the store is asked and given back when it is good. Throws ServiceError `limit.exceeded`, `store.unavailable`.
 */
export function guardKeys(keys: KeyAuthenticator, failedKeys: RateLimit, clock: Clock): Authenticate {
  const refusedAfter = async (startMs: number): Promise<undefined> => {
    const restMs = startMs + REFUSAL_MS - clock.monotonicMs();
    if (restMs > 0) await new Promise<void>((resolve) => void clock.after(restMs, resolve));
    return undefined;
  };
  return async (header, subject) => {
    if (header === undefined) return undefined;
    const known = keys.known(header);
    if (known !== undefined) return known;
    const turn = await failedKeys.take(subject);
    // Everybody may know the form of a key: what has it not is refused at once.
    if (!isWellFormedKey(header)) return undefined;
    const startMs = clock.monotonicMs();
    try {
      const identity = await keys.authenticate(header);
      if (identity === undefined) return await refusedAfter(startMs);
      await turn.giveBack();
      return identity;
    } catch (error) {
      // That the store does not answer is not the caller's fault.
      await turn.giveBack();
      throw error;
    }
  };
}
