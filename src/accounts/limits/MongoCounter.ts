import type { MongoClient } from 'mongodb';
import { RateLimiterMongo, RLWrapperTimeouts } from 'rate-limiter-flexible';
import type { Clock } from '../../core/Clock.ts';
import { LIMITS } from '../mongoDocuments.ts';
import type { Counter, LimitPolicy } from './RateLimit.ts';

/** A forecast waits this long for its count at most. */
const ANSWER_MS = 250;
/** How long the store is left alone after it did not answer. */
const PAUSE_MS = 5000;

export type MongoCounterDeps = {
  readonly client: MongoClient;
  readonly database: string;
  readonly clock: Clock;
  /** Counts while the store does not answer: a limit for each process is better than none, and than no forecasts. */
  readonly fallback: Counter;
};

/** Counts in MongoDB, for several processes together. The indexes are made by `migrateMongo`; what is over is told by its time, not by a TTL index. */
export class MongoCounter implements Counter {
  readonly #limiter: RLWrapperTimeouts;
  readonly #clock: Clock;
  readonly #fallback: Counter;
  #pausedUntilMs = 0;

  constructor({ name, quota, windowSeconds }: LimitPolicy, { client, database, clock, fallback }: MongoCounterDeps) {
    const limiter = new RateLimiterMongo({
      storeClient: client,
      dbName: database,
      tableName: LIMITS,
      keyPrefix: name,
      points: quota,
      duration: windowSeconds,
      disableIndexesCreation: true,
    });
    this.#limiter = new RLWrapperTimeouts({ limiter, timeoutMs: ANSWER_MS });
    this.#clock = clock;
    this.#fallback = fallback;
  }

  async add(subject: string, count: 1 | -1): Promise<{ count: number; resetMs: number }> {
    if (this.#clock.monotonicMs() < this.#pausedUntilMs) return this.#fallback.add(subject, count);
    try {
      const { consumedPoints, msBeforeNext } = await this.#limiter.penalty(subject, count);
      return { count: consumedPoints, resetMs: msBeforeNext };
    } catch {
      this.#pausedUntilMs = this.#clock.monotonicMs() + PAUSE_MS;
      return this.#fallback.add(subject, count);
    }
  }
}

const SWEEP_MS = 600_000;

/** Takes away counts whose window is over, now and then; returns what ends it. */
export function sweepCounts(client: MongoClient, database: string, clock: Clock): () => void {
  let cancel = (): void => {};
  const sweep = (): void => {
    cancel = clock.after(SWEEP_MS, () => {
      const over = { expire: { $lt: new Date(clock.nowMs()) } };
      // What is left now goes with the next sweep.
      client
        .db(database)
        .collection(LIMITS)
        .deleteMany(over)
        .catch(() => {});
      sweep();
    });
  };
  sweep();
  return () => cancel();
}
