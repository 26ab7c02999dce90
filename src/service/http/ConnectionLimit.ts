import type { Socket } from 'node:net';
import type { Clock } from '../../core/Clock.ts';
import type { Logger } from '../../core/Logger.ts';

const LOG_EVERY_MS = 60_000;

/**
 * Keeps the number of connections below the limit of open files: without a free descriptor, no model file, database file or child process
 * can be opened. `maxConnections` of node:http is no alternative: in a cluster, Node.js 20 then passes a connection from one full worker to
 * the next without end.
 */
export class ConnectionLimit {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #most: number;
  #open = 0;
  #closed = 0;
  #nextLogMs = -Infinity;

  constructor({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }, most: number) {
    this.#clock = clock;
    this.#logger = logger;
    this.#most = most;
  }

  /** Counts a new connection until it closes; a connection over the limit is closed at once. */
  accepts(socket: Socket): boolean {
    if (this.#open < this.#most) {
      this.#open++;
      socket.once('close', () => this.#open--);
      return true;
    }
    socket.destroy();
    this.#closed++;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs >= this.#nextLogMs) {
      this.#nextLogMs = nowMs + LOG_EVERY_MS;
      this.#logger.warn('new connections are closed: raise the limit of open files (ulimit -n)', {
        open: this.#open,
        closed: this.#closed,
      });
    }
    return false;
  }
}
