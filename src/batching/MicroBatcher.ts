import type { Clock } from '../core/Clock.ts';
import { ServiceError } from '../core/ServiceError.ts';
import type { BatchTime } from './chooseMaxBatch.ts';

/** Tells when the caller has left: an AbortSignal, or less. */
export type GoneSignal = {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
};

/** How long an item may take. */
export type Limits = {
  /** On the monotonic clock; absent: no limit. */
  readonly deadlineMs?: number;
  /** Aborted when the caller has left; its reason is thrown. */
  readonly signal?: GoneSignal;
};

/**
 * Runs items of one group together: one result each, in their order; an Error in place of a result is that item's alone. Where it throws, the item at
 * fault is not known.
 */
export type RunBatch<T, R> = (group: string, items: readonly T[]) => Promise<readonly (R | Error)[]>;

export type MicroBatcherDeps<T, R> = {
  readonly run: RunBatch<T, R>;
  readonly clock: Clock;
  /** Calls `start` once everything that has arrived by now is submitted: on one thread, in the next iteration of the event loop. */
  readonly whenArrived: (start: () => void) => void;
  readonly maxBatch: () => number;
  /**
   * Batches that may run at once: 1 where the device is all that one takes; 2 where a batch also travels, so that the next one is there when the device
   * ends the one before. They share the largest batch between them.
   */
  readonly maxRunning: number;
  /** Called after each batch. */
  readonly onBatch?: (time: BatchTime) => void;
};

type Entry<T, R> = {
  readonly group: string;
  readonly item: T;
  readonly deadlineMs: number;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
  /** Stops listening to the signal. */
  readonly forgetSignal: () => void;
};

/** Deadlines are looked at this often while anything is queued or runs: an item is rejected at most this much after its deadline. */
const SWEEP_MS = 50;

/**
 * Groups items that are queued at the same time into batches, first come, first served. A batch forms when the device can take one, never by a timer. An
 * item whose deadline passes is rejected by a timer, also while the device does not answer, and is not run any more. The queue has no bound of its own:
 * admission bounds what is in flight.
 */
export class MicroBatcher<T, R> {
  readonly #deps: MicroBatcherDeps<T, R>;
  #queue: Entry<T, R>[] = [];
  readonly #running = new Set<readonly Entry<T, R>[]>();
  #isStarting = false;
  #isSweeping = false;
  #isClosed = false;
  #lastEndMs = -Infinity;

  constructor(deps: MicroBatcherDeps<T, R>) {
    this.#deps = deps;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /**
   * Resolves to the result. Rejects with ServiceError `inference.deadline` after the deadline, `service.not_ready` after `close`, the signal's reason,
   * or what running it threw.
   */
  submit(group: string, item: T, { deadlineMs = Infinity, signal }: Limits = {}): Promise<R> {
    if (this.#isClosed) return Promise.reject(stopping());
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        const at = this.#queue.indexOf(entry);
        if (at < 0) return;
        this.#queue.splice(at, 1);
        reject(signal?.reason as Error);
      };
      const forgetSignal = (): void => signal?.removeEventListener('abort', onAbort);
      const entry: Entry<T, R> = { group, item, deadlineMs, resolve, reject, forgetSignal };
      this.#queue.push(entry);
      signal?.addEventListener('abort', onAbort);
      if (deadlineMs < Infinity) this.#sweepLater();
      this.#start();
    });
  }

  /** Queued items are refused; running ones end as they would. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#queue.splice(0)) reject(stopping());
  }

  #start(): void {
    if (this.#isStarting || this.#running.size >= this.#deps.maxRunning) return;
    this.#isStarting = true;
    this.#deps.whenArrived(() => {
      this.#isStarting = false;
      void this.#runNext();
    });
  }

  async #runNext(): Promise<void> {
    const { clock, onBatch } = this.#deps;
    const startMs = clock.monotonicMs();
    const entries = this.#take(startMs);
    const [first] = entries;
    if (first !== undefined) {
      this.#running.add(entries);
      await this.#run(first.group, entries);
      this.#running.delete(entries);
      const endMs = clock.monotonicMs();
      // Until the batch before it had ended, it waited for the device.
      onBatch?.({ size: entries.length, ms: endMs - Math.max(startMs, this.#lastEndMs) });
      this.#lastEndMs = endMs;
    }
    if (this.#queue.length > 0) this.#start();
  }

  /** The oldest items of one group, those past their deadline rejected. */
  #take(nowMs: number): Entry<T, R>[] {
    const most = Math.ceil(this.#deps.maxBatch() / this.#deps.maxRunning);
    const taken: Entry<T, R>[] = [];
    this.#queue = this.#queue.filter((entry) => {
      if (entry.deadlineMs <= nowMs) entry.reject(pastDeadline());
      else if (taken.length < most && entry.group === (taken[0]?.group ?? entry.group)) taken.push(entry);
      else return true;
      entry.forgetSignal();
      return false;
    });
    return taken;
  }

  #sweepLater(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#deps.clock.after(SWEEP_MS, () => {
      this.#isSweeping = false;
      const nowMs = this.#deps.clock.monotonicMs();
      this.#queue = this.#queue.filter((entry) => {
        if (entry.deadlineMs > nowMs) return true;
        entry.forgetSignal();
        entry.reject(pastDeadline());
        return false;
      });
      // Its batch still counts as running: the device is not free before it answers.
      for (const entries of this.#running) for (const { deadlineMs, reject } of entries) if (deadlineMs <= nowMs) reject(pastDeadline());
      if (this.#queue.length > 0 || this.#running.size > 0) this.#sweepLater();
    });
  }

  /** Never rejects. Where a batch throws, each item is run alone: the poisoned one fails, its neighbours do not. */
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
      if (entries.length === 1) return entries[0]?.reject(error);
      for (const entry of entries) {
        if (entry.deadlineMs > this.#deps.clock.monotonicMs()) await this.#run(group, [entry]);
        else entry.reject(pastDeadline());
      }
    }
  }
}

function stopping(): ServiceError {
  return new ServiceError('service.not_ready', 'The service is stopping.');
}

function pastDeadline(): ServiceError {
  return new ServiceError('inference.deadline', 'The time limit passed before the answer was there.');
}
