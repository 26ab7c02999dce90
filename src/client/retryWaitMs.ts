import { ApiError, ConnectionError, UnexpectedAnswerError } from './errors.ts';
import type { ErrorCode } from './wire.ts';

/** Codes that pass by themselves. A 500 is not among them: the same request meets it again. */
export const PASSING_CODES: readonly ErrorCode[] = [
  'request.timeout',
  'limit.exceeded',
  'account.busy',
  'service.not_ready',
  'store.unavailable',
  'inference.overloaded',
  'inference.deadline',
];
/** Statuses that proxies send while a service is unavailable. */
const PASSING_STATUS: readonly number[] = [502, 503, 504];

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 10_000;
/** Added to Retry-After, so that callers with the same value do not retry at the same time. */
const SPREAD_MS = 250;

/**
 * How long to wait before another try; undefined: another try would meet the same. What the service asks for is waited for in full, and a
 * little more; where it asks for nothing, a random part of a time that doubles with each try.
 *
 * @param done tries that failed before this one
 */
export function retryWaitMs(error: unknown, done: number, random: () => number): number | undefined {
  const passes =
    error instanceof ConnectionError ||
    (error instanceof ApiError && error.has(...PASSING_CODES)) ||
    (error instanceof UnexpectedAnswerError && PASSING_STATUS.includes(error.status));
  if (!passes) return undefined;
  const askedMs = error instanceof ConnectionError ? undefined : error.retryAfterMs;
  if (askedMs !== undefined) return askedMs + random() * SPREAD_MS;
  const longestMs = Math.min(FIRST_WAIT_MS * 2 ** done, LONGEST_WAIT_MS);
  return longestMs * (0.5 + random() / 2);
}
