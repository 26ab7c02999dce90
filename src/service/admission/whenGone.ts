import type { Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';

/** Signals that the caller has disconnected. */
type DisconnectSignal = {
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
};

/** How long a caller waits. */
export type Patience = {
  /** On the monotonic clock. */
  readonly deadlineMs: number;
  readonly signal: DisconnectSignal;
};

export const deadlinePassed = (where: string): ServiceError => new ServiceError('inference.deadline', `The time limit passed ${where}.`);

/**
 * Calls `drop` once, with ServiceError `inference.deadline` at the deadline or with the reason of the signal, even if nothing else ever
 * happens. Returns a function that ends the watch.
 */
export function whenGone({ deadlineMs, signal }: Patience, clock: Clock, where: string, drop: (error: Error) => void): () => void {
  const onAbort = (): void => {
    forget();
    drop(signal.reason instanceof Error ? signal.reason : new Error('aborted without a reason'));
  };
  const onDeadline = (): void => {
    forget();
    drop(deadlinePassed(where));
  };
  const cancel = deadlineMs === Infinity ? () => {} : clock.after(Math.max(0, deadlineMs - clock.monotonicMs()), onDeadline);
  signal.addEventListener('abort', onAbort);
  const forget = (): void => {
    cancel();
    signal.removeEventListener('abort', onAbort);
  };
  return forget;
}
