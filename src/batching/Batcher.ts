import type { Clock } from '../core/Clock.ts';
import { ServiceError } from '../core/ServiceError.ts';
import { predictWaitMs } from './batchPolicy.ts';
import type { BatchTime, DurationModel } from './DurationModel.ts';
import { FairQueue, type Waiting } from './FairQueue.ts';

/** Tells when nobody waits any more: an AbortSignal, or less. */
export type GoneSignal = {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
};

/** Who asks and until when. */
export type Asking = {
  /** Shares fairly with others: the id of a key. */
  readonly owner: string;
  /** On the monotonic clock; absent: no hurry. */
  readonly deadlineMs?: number;
  /** Aborted when nobody waits for the answer any more; its reason is what is thrown. */
  readonly signal?: GoneSignal;
};

/**
 * Runs items of one group together: one result each, in their order; an Error in place of a result is that item's alone. Where it throws, nobody
 * knows whose fault that was.
 */
export type RunBatch<T, R> = (group: string, items: readonly T[]) => Promise<readonly (R | Error)[]>;

export type BatcherDeps<T, R> = {
  readonly run: RunBatch<T, R>;
  readonly clock: Clock;
  /** Calls `start` once everything that has arrived by now is handed in: on one thread, in the next turn of the event loop. */
  readonly whenArrived: (start: () => void) => void;
  readonly durations: Pick<DurationModel, 'expect' | 'learn'>;
  readonly maxBatch: () => number;
  /**
   * Batches that may be under way at once: 1 where the device is all that one takes; 2 where a batch also travels, so that the next one is there when the
   * device ends the one before. They are run, and end, in their order, and share the largest batch between them: whoever comes next waits for no more
   * than one such.
   */
  readonly maxUnderWay: number;
  readonly maxWaiting: number;
  /** Told of every batch that ran. */
  readonly onBatch?: (time: BatchTime) => void;
};

type Entry<T, R> = {
  readonly item: T;
  readonly deadlineMs: number;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
  /** Stops listening to the signal: it waits no more. */
  readonly forgetSignal: () => void;
};

const MS_PER_SECOND = 1000;
/** Deadlines are looked at this often while anything is queued or runs: an item is rejected at most this much after its deadline. */
const SWEEP_MS = 50;

/**
 * Puts items that wait at the same time into batches. A batch forms when the device can take one, never by a timer. An item that cannot be answered by its
 * deadline is refused when it comes; an item whose deadline passes is rejected by a timer, also while the device does not answer, and is not run any more.
 */
export class Batcher<T, R> {
  readonly #deps: BatcherDeps<T, R>;
  readonly #queue = new FairQueue<Entry<T, R>>();
  #isStarting = false;
  #isSweeping = false;
  #isClosed = false;
  readonly #underWay = new Set<readonly Entry<T, R>[]>();
  /** When all of them are expected to have ended. */
  #busyUntilMs = -Infinity;
  #lastEndMs = -Infinity;

  constructor(deps: BatcherDeps<T, R>) {
    this.#deps = deps;
  }

  /** Items that wait; those that run are not counted. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Items that run. */
  get running(): number {
    let count = 0;
    for (const { length } of this.#underWay) count += length;
    return count;
  }

  /**
   * Resolves to the result. Rejects with ServiceError `inference.overloaded` (with `Retry-After`) when the queue is full or the deadline cannot be met,
   * `inference.deadline` when it passed in the queue, `service.not_ready` after `close`, the signal's reason, or what running it threw.
   */
  submit(group: string, item: T, { owner, deadlineMs = Infinity, signal }: Asking): Promise<R> {
    if (this.#isClosed) return Promise.reject(new ServiceError('service.not_ready', 'The service is stopping.'));
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    const refusal = this.#refusalOf(owner, deadlineMs);
    if (refusal !== undefined) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        if (this.#queue.remove(entry)) reject(signal?.reason as Error);
      };
      const forgetSignal = (): void => signal?.removeEventListener('abort', onAbort);
      const entry: Waiting<Entry<T, R>> = { group, owner, item: { item, deadlineMs, resolve, reject, forgetSignal } };
      this.#queue.push(entry);
      signal?.addEventListener('abort', onAbort);
      if (deadlineMs < Infinity) this.#sweepLater();
      this.#start();
    });
  }

  /** What waits is refused; what runs ends as it would. */
  close(): void {
    this.#isClosed = true;
    for (const { item } of this.#queue.clear()) item.reject(new ServiceError('service.not_ready', 'The service is stopping.'));
  }

  #sweepLater(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#deps.clock.after(SWEEP_MS, () => {
      this.#isSweeping = false;
      const nowMs = this.#deps.clock.monotonicMs();
      for (const { item } of this.#queue.removeWhere(({ item: { deadlineMs } }) => deadlineMs <= nowMs)) {
        item.forgetSignal();
        item.reject(pastDeadline());
      }
      // Its batch still counts as running: the device is not free before it answers.
      for (const entries of this.#underWay) for (const { deadlineMs, reject } of entries) if (deadlineMs <= nowMs) reject(pastDeadline());
      if (this.#queue.size > 0 || this.#underWay.size > 0) this.#sweepLater();
    });
  }

  #refusalOf(owner: string, deadlineMs: number): ServiceError | undefined {
    const { clock, durations, maxWaiting } = this.#deps;
    const nowMs = clock.monotonicMs();
    const remainingMs = Math.max(0, this.#busyUntilMs - nowMs);
    const load = { remainingMs, countBefore: this.#queue.countBefore(owner), maxBatch: this.#mostItems() };
    const waitMs = predictWaitMs(load, (size) => durations.expect(size));
    const isFull = this.#queue.size >= maxWaiting;
    if (!isFull && nowMs + waitMs <= deadlineMs) return undefined;
    const seconds = Math.max(1, Math.ceil(waitMs / MS_PER_SECOND));
    const why = isFull ? `${maxWaiting} forecasts wait already` : `the answer would take ${Math.ceil(waitMs)} ms, longer than it may`;
    return new ServiceError('inference.overloaded', `The service is busy: ${why}.`, { headers: { 'Retry-After': String(seconds) } });
  }

  #start(): void {
    if (this.#isStarting || this.#underWay.size >= this.#deps.maxUnderWay) return;
    this.#isStarting = true;
    this.#deps.whenArrived(() => {
      this.#isStarting = false;
      void this.#runNext();
    });
  }

  async #runNext(): Promise<void> {
    const { clock } = this.#deps;
    const startMs = clock.monotonicMs();
    const taken = this.#queue.take(this.#mostItems());
    const [first] = taken;
    if (first === undefined) return;
    const live: Entry<T, R>[] = [];
    for (const { item } of taken) {
      item.forgetSignal();
      if (item.deadlineMs > startMs) live.push(item);
      else item.reject(pastDeadline());
    }
    if (live.length > 0) {
      this.#underWay.add(live);
      this.#expectEnd(startMs);
      await this.#run(first.group, live);
      this.#end(startMs, live);
    }
    if (this.#queue.size > 0) this.#start();
  }

  #mostItems(): number {
    return Math.ceil(this.#deps.maxBatch() / this.#deps.maxUnderWay);
  }

  #expectEnd(fromMs: number): void {
    const { durations } = this.#deps;
    this.#busyUntilMs = fromMs;
    for (const { length } of this.#underWay) this.#busyUntilMs += durations.expect(length);
  }

  #end(startMs: number, entries: readonly Entry<T, R>[]): void {
    const { clock, durations, onBatch } = this.#deps;
    const endMs = clock.monotonicMs();
    // Until the one before had ended, it waited for the device.
    const time = { size: entries.length, ms: endMs - Math.max(startMs, this.#lastEndMs) };
    this.#lastEndMs = endMs;
    this.#underWay.delete(entries);
    this.#expectEnd(endMs);
    durations.learn(time);
    onBatch?.(time);
  }

  /** Never rejects. Where a batch throws, each is run alone: the poisoned one fails, its neighbours do not. */
  async #run(group: string, entries: readonly Entry<T, R>[]): Promise<void> {
    try {
      const results = await this.#deps.run(
        group,
        entries.map(({ item }) => item),
      );
      for (const [i, { resolve, reject }] of entries.entries()) {
        const result = results[i];
        if (result === undefined) reject(new ServiceError('inference.failed', 'The network gave no answer.'));
        else if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      if (entries.length === 1) entries[0]?.reject(error);
      else {
        for (const entry of entries) {
          if (entry.deadlineMs > this.#deps.clock.monotonicMs()) await this.#run(group, [entry]);
          else entry.reject(pastDeadline());
        }
      }
    }
  }
}

function pastDeadline(): ServiceError {
  return new ServiceError('inference.deadline', 'The time limit passed before the answer was there.');
}
