import { afterThisIteration } from '../../core/afterThisIteration.ts';
import type { Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';

/** How long a batch of some size took. */
export type BatchTime = { readonly size: number; readonly ms: number };

/**
 * Runs items of one group together: one result each, in their order; an Error in place of a result is that item's alone. Where it throws, the item at
 * fault is not known.
 */
type RunBatch<T, R> = (group: string, items: readonly T[]) => Promise<readonly (R | Error)[]>;

/** How batches reach the device. */
export type Transport = {
  /** Calls `start` once everything that has arrived by now is submitted. */
  readonly whenArrived: (start: () => void) => void;
  /** Batches that may run at once; they share the largest batch between them. */
  readonly maxRunning: number;
};

/** On the thread that the rows come from: nothing else happens while a batch runs, so it holds all that has arrived. */
export const ON_THREAD: Transport = { whenArrived: afterThisIteration, maxRunning: 1 };
/** For one caller, who waits: what is asked for without an `await` in between. */
export const IN_TURN: Transport = { whenArrived: (start) => queueMicrotask(start), maxRunning: 1 };
/** To another process: the first row goes while the next one is read, and a second batch waits there while the first one runs. */
export const TO_PROCESS: Transport = { whenArrived: (start) => start(), maxRunning: 2 };

export type MicroBatcherDeps<T, R> = Transport & {
  readonly run: RunBatch<T, R>;
  readonly clock: Clock;
  readonly maxBatch: () => number;
  /** Called after each batch. */
  readonly onBatch?: (time: BatchTime) => void;
};

type Entry<T, R> = {
  readonly group: string;
  readonly item: T;
  readonly deadlineMs: number;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
};

/** Deadlines are checked this often while anything is queued or runs: an item is rejected at most this much after its deadline. */
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
   * Resolves to the result. `deadlineMs`: on the monotonic clock. Rejects with ServiceError `inference.deadline` after it, `service.not_ready` after
   * `close`, or what running it threw.
   */
  submit(group: string, item: T, deadlineMs = Infinity): Promise<R> {
    if (this.#isClosed) return Promise.reject(stopping());
    return new Promise((resolve, reject) => {
      this.#queue.push({ group, item, deadlineMs, resolve, reject });
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
    this.#rejectLate(startMs);
    const entries = this.#take();
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

  /** The oldest items of one group. */
  #take(): Entry<T, R>[] {
    const most = Math.ceil(this.#deps.maxBatch() / this.#deps.maxRunning);
    const group = this.#queue[0]?.group;
    const taken: Entry<T, R>[] = [];
    const left: Entry<T, R>[] = [];
    for (const entry of this.#queue) (taken.length < most && entry.group === group ? taken : left).push(entry);
    this.#queue = left;
    return taken;
  }

  #rejectLate(nowMs: number): void {
    if (this.#queue.every(({ deadlineMs }) => deadlineMs > nowMs)) return;
    for (const { deadlineMs, reject } of this.#queue) if (deadlineMs <= nowMs) reject(pastDeadline());
    this.#queue = this.#queue.filter(({ deadlineMs }) => deadlineMs > nowMs);
  }

  #sweepLater(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    this.#deps.clock.after(SWEEP_MS, () => {
      this.#isSweeping = false;
      const nowMs = this.#deps.clock.monotonicMs();
      this.#rejectLate(nowMs);
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
        if (result === undefined) reject(new ServiceError('inference.failed', 'The network returned no result.'));
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
  return new ServiceError('inference.deadline', 'The time limit passed before the forecast was computed.');
}
