import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Counter, LimitPolicy } from './RateLimit.ts';

/** Each subject takes some 300 bytes. */
const MAX_SUBJECTS = 50_000;

/**
 * Counts in this process. Of more subjects than it may hold it forgets the one that came least lately: whoever comes with a million addresses has
 * a quota for each of them anyway.
 */
export class MemoryCounter implements Counter {
  readonly #limiter: RateLimiterMemory;
  readonly #maxSubjects: number;
  /** Least lately counted first. */
  readonly #subjects = new Set<string>();

  constructor({ quota, windowSeconds }: LimitPolicy, maxSubjects = MAX_SUBJECTS) {
    this.#limiter = new RateLimiterMemory({ points: quota, duration: windowSeconds, keyPrefix: '' });
    this.#maxSubjects = maxSubjects;
  }

  async add(subject: string, count: 1 | -1): Promise<{ count: number; resetMs: number }> {
    this.#remember(subject);
    const { consumedPoints, msBeforeNext }: RateLimiterRes = await this.#limiter.penalty(subject, count);
    return { count: consumedPoints, resetMs: msBeforeNext };
  }

  /** How many subjects are held, looked for one by one. */
  get size(): number {
    return Math.max(this.#subjects.size, this.#limiter.dump().storage.length);
  }

  #remember(subject: string): void {
    this.#subjects.delete(subject);
    this.#subjects.add(subject);
    if (this.#subjects.size <= this.#maxSubjects) return;
    const [oldest] = this.#subjects;
    if (oldest === undefined) return;
    this.#subjects.delete(oldest);
    void this.#limiter.delete(oldest);
  }
}
