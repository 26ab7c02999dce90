import { FairQueue, type Waiting } from '../batching/FairQueue.ts';
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
/** Bodies that wait, all together. */
const MOST_BYTES = 64 * 1024 * 1024;
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
  /** Of the body. */
  readonly bytes: number;
};

type Place = Arrival & { readonly resolve: () => void; readonly reject: (error: Error) => void; readonly forget: () => void };

/**
 * Where forecasts wait for this thread: their bodies are read, and nothing else is done for them until it is their turn, keys in turns. Whoever would be
 * answered too late is refused when it comes. Without it, what is beyond the thread's strength waits where nobody counts it.
 */
export class ForecastGate {
  readonly #deps: ForecastGateDeps;
  readonly #line = new FairQueue<Place>();
  #atWork = 0;
  #begunThisTurn = 0;
  #isTurnPlanned = false;
  #bytes = 0;
  /** Between two that leave, while others wait. */
  #perForecastMs = 0;
  #leftAtMs: number | undefined;

  constructor(deps: ForecastGateDeps) {
    this.#deps = deps;
  }

  get waiting(): number {
    return this.#line.size;
  }

  /** Asked before a body is read. Throws ServiceError `inference.overloaded`. */
  checkOpen(): void {
    const { loopDelay, deadlineMs } = this.#deps;
    const expectedMs = TURNS * loopDelay.delayMs;
    if (expectedMs > deadlineMs) throw tooLate(expectedMs);
    if (this.#isFull()) throw this.#full();
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
    const { owner, deadlineMs, signal, bytes } = arrival;
    if (this.#isFull() || this.#bytes + bytes > MOST_BYTES) return Promise.reject(this.#full());
    const expectedMs = (this.#line.countBefore(owner) + MOST_AT_WORK) * this.#perForecastMs;
    if (this.#deps.clock.monotonicMs() + expectedMs > deadlineMs) return Promise.reject(tooLate(expectedMs));
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        if (!this.#line.remove(entry)) return;
        this.#bytes -= bytes;
        reject(signal.reason ?? new Error('aborted without a reason'));
      };
      const forget = (): void => signal.removeEventListener('abort', onAbort);
      const entry: Waiting<Place> = { group: '', owner, item: { ...arrival, resolve, reject, forget } };
      this.#line.push(entry);
      this.#bytes += bytes;
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

  /** Those who will go to work in the next turns do not count as waiting. */
  #isFull(): boolean {
    return this.#line.size + this.#atWork >= MOST_AT_WORK + this.#deps.maxWaiting;
  }

  #hasRoom(): boolean {
    return this.#atWork < MOST_AT_WORK && this.#begunThisTurn < MOST_A_TURN;
  }

  #begin(): void {
    this.#atWork++;
    this.#begunThisTurn++;
    this.#planTurn();
  }

  #planTurn(): void {
    if (this.#isTurnPlanned) return;
    this.#isTurnPlanned = true;
    setImmediate(() => {
      this.#isTurnPlanned = false;
      this.#begunThisTurn = 0;
      this.#letIn();
    });
  }

  #letIn(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    while (this.#hasRoom()) {
      const [next] = this.#line.take(1);
      if (next === undefined) return;
      const { bytes, forget, deadlineMs, resolve, reject } = next.item;
      forget();
      this.#bytes -= bytes;
      if (deadlineMs <= nowMs) {
        reject(new ServiceError('inference.deadline', 'The time limit passed while the request waited for its turn.'));
      } else {
        this.#begin();
        resolve();
      }
    }
  }

  #full(): ServiceError {
    return overloaded(`${this.#line.size} forecasts wait already`, this.#line.size * this.#perForecastMs);
  }
}

function tooLate(expectedMs: number): ServiceError {
  return overloaded(`the answer would take ${Math.ceil(expectedMs)} ms, longer than it may`, expectedMs);
}

function overloaded(why: string, waitMs: number): ServiceError {
  const seconds = Math.max(1, Math.ceil(waitMs / MS_PER_SECOND));
  return new ServiceError('inference.overloaded', `The service is busy: ${why}.`, { headers: { 'Retry-After': String(seconds) } });
}
