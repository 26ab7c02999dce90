import type { Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { AccountStore } from './AccountStore.ts';

/** Called after every store call with its name, whether it was answered, and its duration. */
export type OnStoreCall = (call: string, outcome: 'answered' | 'failed', ms: number) => void;

/** An answer to the caller, such as `key.unknown`: the store itself works. */
const isRefusal = (error: unknown): boolean => error instanceof ServiceError && !error.code.startsWith('store.');

/** Wraps a store so that `onCall` is called after each call except `close`. */
export function meteredStore(store: AccountStore, clock: Clock, onCall: OnStoreCall): AccountStore {
  const metered =
    (name: string, call: (...args: unknown[]) => Promise<unknown>) =>
    async (...args: unknown[]): Promise<unknown> => {
      const startMs = clock.monotonicMs();
      try {
        const answer = await call.apply(store, args);
        onCall(name, 'answered', clock.monotonicMs() - startMs);
        return answer;
      } catch (error) {
        onCall(name, isRefusal(error) ? 'answered' : 'failed', clock.monotonicMs() - startMs);
        throw error;
      }
    };
  return new Proxy(store, {
    get: (target, name) => {
      const call = target[name as keyof AccountStore] as ((...args: unknown[]) => Promise<unknown>) | undefined;
      return typeof call !== 'function' || name === 'close' ? call : metered(String(name), call);
    },
  });
}
