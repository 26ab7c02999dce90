import type { Identity, KeyAuthenticator } from './KeyAuthenticator.ts';
import type { RateLimit } from './limits/RateLimit.ts';

/** Whose key a header carries; `subject` is what the caller's address is counted as. */
export type Authenticate = (header: string | undefined, subject: string) => Promise<Identity | undefined>;

/**
 * Finds the owner of a key, for addresses that have not sent too many bad ones. A key that is kept is not counted at all; any other is counted
 * before the store is asked and given back when it is good. Throws ServiceError `limit.exceeded`, `store.unavailable`.
 */
export function guardKeys(keys: KeyAuthenticator, failedKeys: RateLimit): Authenticate {
  return async (header, subject) => {
    if (header === undefined) return undefined;
    const known = keys.known(header);
    if (known !== undefined) return known;
    const turn = await failedKeys.take(subject);
    try {
      const identity = await keys.authenticate(header);
      if (identity !== undefined) await turn.giveBack();
      return identity;
    } catch (error) {
      // That the store does not answer is not the caller's fault.
      await turn.giveBack();
      throw error;
    }
  };
}
