import { FairQueue, type Waiting } from '../admission/FairQueue.ts';
import type { Clock } from '../core/Clock.ts';
import { ServiceError } from '../core/ServiceError.ts';
import type { CallerGone } from './CallerGone.ts';
import type { LoopDelay } from './LoopDelay.ts';

/**
 * Forecasts that are worked on at once: as many as the largest batch. With more, a thread that has too much to do answers fewer, for each has a little
 * done to it in turn: at 150 % of what could be answered, 64 at once kept 94 % of it, 256 kept 55 %.
 */
const MOST_AT_WORK = 64;
/** Of those, so many begin in one turn of the event loop: the network then computes some while this thread reads the next, not one after the other. */
const MOST_A_TURN = 8;
/**
 * In a long turn more begin, by the time that it took: a thread that has very much to refuse would else spend long turns on that, and answer eight in each.
 * A forecast takes the thread less than half a millisecond, so answers get about half of its time, however many are to be refused.
 */
const BEGUN_PER_MS = 2;
const MOST_A_LONG_TURN = 256;
/**
 * A line in which somebody waited so long is no burst that passes: from then on, and until nobody was refused for a second, so many may wait, which is
 * all that keeps the thread busy. A longer line would only make answers late, and their bodies old to the garbage collector (as CoDel does for packets:
 * Nichols and Jacobson, 2012).
 */
const STANDING_MS = 250;
const STANDING_PLACES = 32;
const CALM_MS = 1000;
/** Turns of the event loop between the arrival of a request and its answer: connection and head, body, network, answer. */
const TURNS = 4;
/** Share of the newest in the mean time of a forecast. */
const NEWEST = 0.05;
const MS_PER_SECOND = 1000;

export type ForecastGateDeps = {
  readonly clock: Clock;
  readonly loopDelay: Pick<LoopDelay, 'delayMs'>;
  /** Forecasts that may wait. */
  readonly maxWaiting: number;
  readonly deadlineMs: number;
};

export type Arrival = {
  /** Who shares fairly with the others. */
  readonly owner: string;
  /** On the monotonic clock. */
  readonly deadlineMs: number;
  readonly signal: CallerGone;
};

/** Why a forecast is refused, in words for its caller, and when it may try again. */
export type Refusal = { readonly detail: string; readonly retryAfterS: number };

type Place = Arrival & {
  readonly sinceMs: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly forget: () => void;
};

/**
 * Where forecasts wait for this thread: their bodies are read, and nothing else is done for them until it is their turn, keys in turns. Whoever would be
 * answered too late is refused when it comes. Without it, what is beyond the thread's strength waits where nobody counts it.
 */
export class ForecastGate {
  readonly #deps: ForecastGateDeps;
  readonly #line = new FairQueue<Place>();
  #atWork = 0;
  #begunThisTurn = 0;
  #mostThisTurn = MOST_A_TURN;
  #isTurnPlanned = false;
  /** Between two that leave, while others wait. */
  #perForecastMs = 0;
  #leftAtMs: number | undefined;
  #standsUntilMs = -Infinity;

  constructor(deps: ForecastGateDeps) {
    this.#deps = deps;
  }

  get waiting(): number {
    return this.#line.size;
  }

  /**
   * Asked before a body is read: why a forecast of this owner would be refused now. No error is thrown and nothing is kept, for a refusal must cost
   * little: what is beyond the thread's strength takes its time from what is not.
   */
  refusalFor(owner: string): Refusal | undefined {
    const { loopDelay, deadlineMs } = this.#deps;
    const loopMs = TURNS * loopDelay.delayMs;
    if (loopMs > deadlineMs) return tooLate(loopMs);
    if (this.#hasRoom() && this.#line.size === 0) return undefined;
    if (this.#isFullFor(owner)) return this.#full();
    const expectedMs = loopDelay.delayMs + this.#expectedMs(owner);
    return expectedMs > deadlineMs ? tooLate(expectedMs) : undefined;
  }

  /**
   * Resolves when it is this one's turn; whoever entered leaves, once. Rejects with ServiceError `inference.overloaded`, `inference.deadline` where its
   * time passed in the line, or the signal's reason.
   */
  enter(arrival: Arrival): Promise<void> {
    if (this.#hasRoom() && this.#line.size === 0) {
      this.#begin();
      return Promise.resolve();
    }
    const { owner, deadlineMs, signal } = arrival;
    if (this.#isFullFor(owner)) return Promise.reject(overloaded(this.#full()));
    const expectedMs = this.#expectedMs(owner);
    if (this.#deps.clock.monotonicMs() + expectedMs > deadlineMs) return Promise.reject(overloaded(tooLate(expectedMs)));
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        if (!this.#line.remove(entry)) return;
        reject(signal.reason ?? new Error('aborted without a reason'));
      };
      const forget = (): void => signal.removeEventListener('abort', onAbort);
      const entry: Waiting<Place> = {
        group: '',
        owner,
        item: { ...arrival, sinceMs: this.#deps.clock.monotonicMs(), resolve, reject, forget },
      };
      this.#line.push(entry);
      signal.addEventListener('abort', onAbort);
    });
  }

  leave(): void {
    this.#atWork--;
    const nowMs = this.#deps.clock.monotonicMs();
    if (this.#line.size === 0) {
      this.#leftAtMs = undefined;
      return;
    }
    if (this.#leftAtMs !== undefined) this.#perForecastMs += NEWEST * (nowMs - this.#leftAtMs - this.#perForecastMs);
    this.#leftAtMs = nowMs;
    this.#planTurn();
  }

  /**
   * Those who will go to work in the next turns do not count as waiting. Whoever has less than its share of the places gets in though others fill them:
   * twice as many may wait then.
   */
  #isFullFor(owner: string): boolean {
    const nowMs = this.#deps.clock.monotonicMs();
    const stands = nowMs < this.#standsUntilMs;
    const maxWaiting = stands ? Math.min(STANDING_PLACES, this.#deps.maxWaiting) : this.#deps.maxWaiting;
    const waiting = this.#line.size + this.#atWork - MOST_AT_WORK;
    if (waiting < maxWaiting) return false;
    const isFull = waiting >= 2 * maxWaiting || this.#line.countOf(owner) >= maxWaiting / Math.max(1, this.#line.owners);
    if (isFull && stands) this.#standsUntilMs = nowMs + CALM_MS;
    return isFull;
  }

  #expectedMs(owner: string): number {
    return (this.#line.countBefore(owner) + MOST_AT_WORK) * this.#perForecastMs;
  }

  #hasRoom(): boolean {
    return this.#atWork < Math.max(MOST_AT_WORK, 2 * this.#mostThisTurn) && this.#begunThisTurn < this.#mostThisTurn;
  }

  #begin(): void {
    this.#atWork++;
    this.#begunThisTurn++;
    this.#planTurn();
  }

  #planTurn(): void {
    if (this.#isTurnPlanned) return;
    this.#isTurnPlanned = true;
    const plannedAtMs = this.#deps.clock.monotonicMs();
    setImmediate(() => {
      this.#isTurnPlanned = false;
      this.#begunThisTurn = 0;
      const turnMs = this.#deps.clock.monotonicMs() - plannedAtMs;
      this.#mostThisTurn = Math.min(MOST_A_LONG_TURN, Math.max(MOST_A_TURN, Math.floor(BEGUN_PER_MS * turnMs)));
      this.#letIn();
    });
  }

  #letIn(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    while (this.#hasRoom()) {
      const [next] = this.#line.take(1);
      if (next === undefined) return;
      const { forget, deadlineMs, sinceMs, resolve, reject } = next.item;
      forget();
      if (nowMs - sinceMs > STANDING_MS) this.#standsUntilMs = nowMs + CALM_MS;
      if (deadlineMs <= nowMs) {
        reject(new ServiceError('inference.deadline', 'The time limit passed while the request waited for its turn.'));
      } else {
        this.#begin();
        resolve();
      }
    }
  }

  #full(): Refusal {
    return busy(`${this.#line.size} forecasts wait already`, this.#line.size * this.#perForecastMs);
  }
}

function tooLate(expectedMs: number): Refusal {
  return busy(`the answer would take ${Math.ceil(expectedMs)} ms, longer than it may`, expectedMs);
}

function busy(why: string, waitMs: number): Refusal {
  return { detail: `The service is busy: ${why}.`, retryAfterS: Math.max(1, Math.ceil(waitMs / MS_PER_SECOND)) };
}

export function overloaded({ detail, retryAfterS }: Refusal): ServiceError {
  return new ServiceError('inference.overloaded', detail, { headers: { 'Retry-After': String(retryAfterS) } });
}
