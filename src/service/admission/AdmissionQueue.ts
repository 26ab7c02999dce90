import type { Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { FairQueue, type QueuedItem } from './FairQueue.ts';
import { deadlinePassed, type Patience, whenGone } from './whenGone.ts';

/**
 * A queue in which an item waited this long is a standing queue, not a short burst (CoDel: Nichols and Jacobson, 2012). Until nothing was
 * refused for one second, the queue is then limited to STANDING_SLOTS items, enough to keep the thread busy. A longer queue would only add
 * latency.
 */
const STANDING_MS = 250;
const STANDING_SLOTS = 32;
const CALM_MS = 1000;
/** Iterations of the event loop between the arrival of a request and its answer: connection and headers, body, network, answer. */
const ITERATIONS = 4;
/** Weight of the newest value in the mean time of a forecast. */
const NEWEST = 0.05;
const MS_PER_SECOND = 1000;
const QUEUED = 'while the request was queued';

export type AdmissionQueueDeps = {
  readonly clock: Clock;
  /** Delay of the event loop: what a request that is read now may have waited, and what each iteration takes longer at least. */
  readonly loopDelay: { readonly delayMs: number; readonly steadyMs: number };
  /**
   * Forecasts that may be in flight, which bounds the batches. An overloaded thread that works a little on each of too many forecasts
   * completes fewer of them.
   */
  readonly maxInFlight: number;
  /** Forecasts that may be queued. */
  readonly maxQueued: number;
  readonly deadlineMs: number;
};

export type AdmissionRequest = Patience & {
  /** Owners are served round-robin. */
  readonly owner: string;
};

/** Why a forecast is refused, as a text for the caller, and when the caller may try again. */
export type Refusal = { readonly detail: string; readonly retryAfterS: number };

type Entry = AdmissionRequest & {
  readonly sinceMs: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  /** Stops to watch the caller and the deadline. */
  readonly forget: () => void;
};

/**
 * Admission control: the only place that detects overload. Forecasts are queued with their bodies read, and served round-robin by owner. A
 * forecast that would be answered too late is refused on arrival. Without admission control, overload would build up in queues that nothing
 * measures.
 */
export class AdmissionQueue {
  readonly #deps: AdmissionQueueDeps;
  readonly #queue = new FairQueue<Entry>();
  #inFlight = 0;
  #isIterationPlanned = false;
  /** Mean time between two forecasts that leave while others are queued. */
  #perForecastMs = 0;
  #leftAtMs: number | undefined;
  #standingUntilMs = -Infinity;

  constructor(deps: AdmissionQueueDeps) {
    this.#deps = deps;
  }

  get queued(): number {
    return this.#queue.size;
  }

  /** Whether a forecast could be refused now. Checked first, so that no key is looked up without overload. */
  get isBusy(): boolean {
    return this.#queue.size > 0 || !this.#hasSlot() || this.#loopMs() > this.#deps.deadlineMs;
  }

  /**
   * The refusal for a forecast of this owner, or undefined. Called before a body is read. It throws nothing and stores nothing: a refusal
   * must be cheap, because it takes time from forecasts that are answered.
   */
  refusalFor(owner: string): Refusal | undefined {
    const { loopDelay, deadlineMs } = this.#deps;
    const loopMs = this.#loopMs();
    if (loopMs > deadlineMs) return tooLate(loopMs);
    if (this.#hasSlot() && this.#queue.size === 0) return undefined;
    if (this.#isFullFor(owner)) return this.#full();
    const expectedMs = loopDelay.delayMs + this.#expectedMs(owner);
    return expectedMs > deadlineMs ? tooLate(expectedMs) : undefined;
  }

  /**
   * Resolves when the forecast may start; the caller calls `leave` once for each forecast that entered, and waits for no other request until
   * then: it may wait for a slot. Rejects with ServiceError
   * `inference.overloaded`, with `inference.deadline` when the deadline passes in the queue, or with the reason of the signal.
   */
  enter(arrival: AdmissionRequest): Promise<void> {
    if (this.#hasSlot() && this.#queue.size === 0) {
      this.#inFlight++;
      return Promise.resolve();
    }
    const { owner, deadlineMs, signal } = arrival;
    if (this.#isFullFor(owner)) return Promise.reject(overloaded(this.#full()));
    const expectedMs = this.#expectedMs(owner);
    if (this.#deps.clock.monotonicMs() + expectedMs > deadlineMs) return Promise.reject(overloaded(tooLate(expectedMs)));
    return new Promise((resolve, reject) => {
      const { clock } = this.#deps;
      const sinceMs = clock.monotonicMs();
      const forget = whenGone({ deadlineMs, signal }, clock, QUEUED, (error) => {
        if (this.#queue.remove(entry)) reject(error);
      });
      const entry: QueuedItem<Entry> = { owner, item: { sinceMs, resolve, reject, forget, ...arrival } };
      this.#queue.push(entry);
    });
  }

  leave(): void {
    this.#inFlight--;
    const nowMs = this.#deps.clock.monotonicMs();
    if (this.#queue.size === 0) {
      this.#leftAtMs = undefined;
      return;
    }
    if (this.#leftAtMs !== undefined) this.#perForecastMs += NEWEST * (nowMs - this.#leftAtMs - this.#perForecastMs);
    this.#leftAtMs = nowMs;
    this.#planIteration();
  }

  /**
   * Forecasts that will start in the next iterations do not count as queued. If others fill the queue, an owner with less than its fair
   * part of the slots is still admitted, up to twice the limit.
   */
  #isFullFor(owner: string): boolean {
    const nowMs = this.#deps.clock.monotonicMs();
    const isStanding = nowMs < this.#standingUntilMs;
    const maxQueued = isStanding ? Math.min(STANDING_SLOTS, this.#deps.maxQueued) : this.#deps.maxQueued;
    const queued = this.#queue.size + this.#inFlight - this.#deps.maxInFlight;
    if (queued < maxQueued) return false;
    const isFull = queued >= 2 * maxQueued || this.#queue.countOf(owner) >= maxQueued / Math.max(1, this.#queue.owners);
    if (isFull && isStanding) this.#standingUntilMs = nowMs + CALM_MS;
    return isFull;
  }

  /** From the arrival of a request that is read now to its answer, if nothing else were queued. */
  #loopMs(): number {
    const { delayMs, steadyMs } = this.#deps.loopDelay;
    return delayMs + (ITERATIONS - 1) * steadyMs;
  }

  #expectedMs(owner: string): number {
    return (this.#queue.countBefore(owner) + this.#deps.maxInFlight) * this.#perForecastMs;
  }

  #hasSlot(): boolean {
    return this.#inFlight < this.#deps.maxInFlight;
  }

  /** Fills the free slots in the next iteration of the event loop, so that sockets are read in between. */
  #planIteration(): void {
    if (this.#isIterationPlanned) return;
    this.#isIterationPlanned = true;
    setImmediate(() => {
      this.#isIterationPlanned = false;
      this.#admit();
    });
  }

  #admit(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    while (this.#hasSlot()) {
      const next = this.#queue.take();
      if (next === undefined) return;
      const { forget, deadlineMs, sinceMs, resolve, reject } = next;
      forget();
      if (nowMs - sinceMs > STANDING_MS) this.#standingUntilMs = nowMs + CALM_MS;
      // The event loop may be later than the timer.
      if (deadlineMs <= nowMs) {
        reject(deadlinePassed(QUEUED));
      } else {
        this.#inFlight++;
        resolve();
      }
    }
  }

  #full(): Refusal {
    return busy(`${this.#queue.size} forecasts are queued already`, this.#queue.size * this.#perForecastMs);
  }
}

function tooLate(expectedMs: number): Refusal {
  return busy(`the answer would take ${Math.ceil(expectedMs)} ms, longer than the time limit`, expectedMs);
}

function busy(why: string, waitMs: number): Refusal {
  return { detail: `The service is busy: ${why}.`, retryAfterS: Math.max(1, Math.ceil(waitMs / MS_PER_SECOND)) };
}

export function overloaded({ detail, retryAfterS }: Refusal): ServiceError {
  return new ServiceError('inference.overloaded', detail, { headers: { 'Retry-After': String(retryAfterS) } });
}
