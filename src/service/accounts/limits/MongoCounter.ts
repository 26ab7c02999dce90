import type { Collection, MongoClient } from 'mongodb';
import type { Clock } from '../../../core/Clock.ts';
import { every } from '../../../core/every.ts';
import { within } from '../../../core/within.ts';
import { isDuplicate } from '../MongoDatabase.ts';
import { LIMITS } from '../mongoSchema.ts';
import type { StoreOutage } from '../StoreOutage.ts';
import type { Counted, Counter, LimitPolicy } from './RateLimit.ts';

/** Longest time that a forecast waits for its count. */
const ANSWER_MS = 250;
/** Pause after the store did not answer, of all counters; counts go to the fallback meanwhile. */
const PAUSE_MS = 5000;
const MS_PER_SECOND = 1000;

export type MongoCounterDeps = {
  readonly client: MongoClient;
  readonly database: string;
  readonly clock: Clock;
  /** Used while the store does not answer: a limit for each process is better than no limit, and better than no forecasts. */
  readonly fallback: Counter;
  /** One for all counters of the database. */
  readonly outage: StoreOutage;
};

/** Additions for one subject that are sent together. `answer` is the count after all of them. */
type Batch = { sum: number; readonly answer: Promise<Counted> };

/** `at` is the time of the last change. Both times are from the server clock. */
type LimitDocument = { readonly key: string; readonly points: number; readonly at: Date; readonly expire?: Date };

/**
 * Counts in MongoDB, for several processes together. Only the server clock decides when a window ends, so the clocks of the processes may
 * differ. `migrateMongo` creates the indexes.
 */
export class MongoCounter implements Counter {
  readonly #limits: Collection<LimitDocument>;
  readonly #policy: LimitPolicy;
  readonly #deps: Pick<MongoCounterDeps, 'clock' | 'fallback' | 'outage'>;
  /** By key: additions that wait for those in flight. */
  readonly #waiting = new Map<string, Batch>();
  /** By key: the last additions that are queued or in flight. */
  readonly #last = new Map<string, Promise<Counted>>();

  constructor(policy: LimitPolicy, { client, database, ...deps }: MongoCounterDeps) {
    this.#limits = client.db(database).collection<LimitDocument>(LIMITS);
    this.#policy = policy;
    this.#deps = deps;
  }

  async add(subject: string, count: number): Promise<Counted> {
    const askedAtMs = this.#deps.clock.monotonicMs();
    if (askedAtMs < this.#deps.outage.failedAtMs + PAUSE_MS) return this.#countLocally(subject, count);
    const counted = await within(this.#deps.clock, ANSWER_MS, this.#join(`${this.#policy.name}:${subject}`, count), () => undefined).catch(
      () => undefined,
    );
    if (counted === undefined) {
      this.#deps.outage.failed(askedAtMs);
      return this.#countLocally(subject, count);
    }
    this.#deps.outage.answered();
    return counted;
  }

  async #countLocally(subject: string, count: number): Promise<Counted> {
    return { ...(await this.#deps.fallback.add(subject, count)), isLocal: true };
  }

  /** Only one change per subject is in flight: concurrent additions take two round trips, and do not conflict at the start of a window. */
  async #join(key: string, count: number): Promise<Counted> {
    const batch = this.#waiting.get(key) ?? this.#makeBatch(key);
    batch.sum += count;
    const position = batch.sum;
    const { count: total, resetMs } = await batch.answer;
    return { count: Math.max(0, total - batch.sum + position), resetMs };
  }

  #makeBatch(key: string): Batch {
    const deadlineMs = this.#deps.clock.monotonicMs() + ANSWER_MS;
    const send = (): Promise<Counted> => {
      this.#waiting.delete(key);
      return this.#send(key, batch.sum, deadlineMs);
    };
    const answer = (this.#last.get(key) ?? Promise.resolve()).then(send, send);
    const batch = { sum: 0, answer };
    const forget = (): void => {
      if (this.#last.get(key) === answer) this.#last.delete(key);
    };
    answer.then(forget, forget);
    this.#waiting.set(key, batch);
    this.#last.set(key, answer);
    return batch;
  }

  /** One round trip, and a second one at the start of a window. Retries if another process changed the count in between. */
  async #send(key: string, count: number, deadlineMs: number): Promise<Counted> {
    while (this.#deps.clock.monotonicMs() < deadlineMs) {
      const found = await this.#change(key, count);
      if (found === null) continue;
      const { points, at, expire } = found;
      if (expire !== undefined && expire > at) return { count: points, resetMs: expire.getTime() - at.getTime() };
      // Starts the first or the next window of this subject. A unit that is returned after its window has ended counts nowhere.
      const first = { points: Math.max(0, count), expire: new Date(at.getTime() + this.#policy.windowSeconds * MS_PER_SECOND) };
      const { matchedCount } = await this.#limits.updateOne({ key, expire: expire ?? { $exists: false } }, { $set: first });
      if (matchedCount === 1) return { count: first.points, resetMs: this.#policy.windowSeconds * MS_PER_SECOND };
    }
    throw new Error('The count was changed concurrently until the deadline.');
  }

  /** null: another process created the document at the same time. */
  async #change(key: string, count: number): Promise<LimitDocument | null> {
    const change = { $inc: { points: count }, $currentDate: { at: true } } as const;
    try {
      return await this.#limits.findOneAndUpdate({ key }, change, { upsert: true, returnDocument: 'after' });
    } catch (error) {
      if (isDuplicate(error)) return null;
      throw error;
    }
  }
}

const SWEEP_MS = 600_000;

/** Deletes counts whose window has ended by the server clock, at intervals; returns a function that stops it. */
export function sweepCounts(client: MongoClient, database: string, clock: Clock): () => void {
  const db = client.db(database);
  const sweep = async (): Promise<void> => {
    const { localTime } = await db.command({ hello: 1 });
    // Without `expire`: the process ended before it started the window.
    await db.collection(LIMITS).deleteMany({ $or: [{ expire: { $lt: localTime } }, { expire: { $exists: false } }] });
  };
  // After a failure, the next sweep retries.
  return every(clock, SWEEP_MS, () => void sweep().catch(() => {}));
}
