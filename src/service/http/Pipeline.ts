import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests of one connection that may wait for their answers. Most clients send one at a time. */
export const MOST_UNANSWERED = 16;

const PIPELINES = new WeakMap<Duplex, Pipeline>();

/**
 * The requests of one connection. Node.js parses all that arrive in one piece, 1,700 of the shortest, and starts each at once; only one
 * starts in an iteration of the event loop here, so that a caller that does not wait for answers delays no other. `UpgradeRequest` stops
 * the parser at the first request above the limit.
 */
export class Pipeline {
  /** The answer that was begun last; undefined if all are complete. */
  last: ServerResponse | undefined;
  #unanswered = 0;
  readonly #waiting: (() => void)[] = [];

  static of(socket: Duplex): Pipeline {
    let pipeline = PIPELINES.get(socket);
    if (pipeline === undefined) PIPELINES.set(socket, (pipeline = new Pipeline()));
    return pipeline;
  }

  get isFull(): boolean {
    return this.#unanswered >= MOST_UNANSWERED;
  }

  /** Runs `start` now, or in an iteration of its own if a request before it has no answer. It is not run if the caller is gone. */
  add(response: ServerResponse, start: () => void): void {
    this.last = response;
    response.once('close', () => {
      this.#unanswered--;
      if (this.last === response) this.last = undefined;
    });
    if (this.#unanswered++ === 0) {
      start();
      return;
    }
    this.#waiting.push(() => {
      if (!response.destroyed) start();
    });
    if (this.#waiting.length === 1) setImmediate(this.#startNext);
  }

  readonly #startNext = (): void => {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(this.#startNext);
  };
}
