import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { ServerMessage } from '../../../contract/live.ts';

/** Above this number of unsent bytes, the client is stuck. */
const STUCK_BYTES = 8 * 1024 * 1024;

/**
 * What a connection sends. Messages that are ready together leave in one system call, which costs a fifth of a forecast: the forecasts of
 * one batch, and with them the outcomes that the same ticks showed.
 */
export class LiveOutbox {
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  readonly #onStuck: () => void;
  #isCorked = false;
  /** Whether `#uncork` follows in `nextTick`. */
  #isFlushing = false;

  /** `stream`: what the socket writes to. */
  constructor(socket: WebSocket, stream: Duplex, onStuck: () => void) {
    this.#socket = socket;
    this.#stream = stream;
    this.#onStuck = onStuck;
  }

  /** Returns the text; undefined: the socket is not open, or the client is stuck. */
  send(message: ServerMessage): string | undefined {
    if (this.#socket.readyState !== this.#socket.OPEN) return undefined;
    if (this.#socket.bufferedAmount > STUCK_BYTES) {
      this.#onStuck();
      return undefined;
    }
    const canWait = message.type === 'outcome';
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#stream.cork();
      if (canWait) setImmediate(this.#uncorkLater);
    }
    const text = JSON.stringify(message);
    this.#socket.send(text);
    if (canWait || this.#isFlushing) return text;
    this.#isFlushing = true;
    process.nextTick(this.#uncork);
    return text;
  }

  /** In the next iteration: in this one, the batch of the ticks that showed the outcome may run after it. */
  readonly #uncorkLater = (): unknown => setImmediate(this.#uncork);

  /** In `nextTick`, the promises of all forecasts of a batch have settled. */
  readonly #uncork = (): void => {
    if (!this.#isCorked) return;
    this.#isCorked = this.#isFlushing = false;
    this.#stream.uncork();
  };
}
