import * as net from 'node:net';

/** All sockets read into it in turn: what is read is looked at before the next read. */
const INBOX = Buffer.allocUnsafe(65_536);
const HEAD_END = '\r\n\r\n';

/**
 * One kept-open HTTP/1.1 connection, one request at a time, as cheap as can be: the generator shares the machine with what it measures. It reads the status
 * and the length of an answer, and throws the rest away.
 */
export class Connection {
  readonly #socket: net.Socket;
  readonly #onAnswer: (connection: Connection, status: number) => void;
  #head = '';
  #status = 0;
  /** Bytes of the body that are still to come; -1: the head is not whole yet. */
  #left = -1;
  #isClosing = false;
  #isBusy = false;

  /**
   * @param onAnswer the whole answer was read
   * @param onEnd the connection is gone; `wasBusy`: with a request on it
   */
  constructor(
    port: number,
    onAnswer: (connection: Connection, status: number) => void,
    onEnd: (connection: Connection, wasBusy: boolean) => void,
  ) {
    this.#onAnswer = onAnswer;
    const onread = { buffer: INBOX, callback: (count: number) => this.#read(count) };
    this.#socket = net.connect({ port, host: '127.0.0.1', noDelay: true, onread });
    // 'close' follows.
    this.#socket.on('error', () => {});
    this.#socket.once('close', () => {
      const wasBusy = this.#isBusy;
      this.#isBusy = false;
      onEnd(this, wasBusy);
    });
  }

  /** Whether the server said that it ends the connection after this answer. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  send(request: Buffer): void {
    this.#isBusy = true;
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(count: number): boolean {
    if (this.#left >= 0) this.#left -= count;
    else {
      this.#head += INBOX.toString('latin1', 0, count);
      const end = this.#head.indexOf(HEAD_END);
      if (end < 0) return true;
      const head = this.#head.slice(0, end);
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      if (length === undefined) throw new Error(`an answer without a length:\n${head}`);
      this.#status = Number(head.slice(9, 12));
      this.#isClosing = /\r\nconnection: *close/i.test(head);
      this.#left = Number(length) - (this.#head.length - end - HEAD_END.length);
      this.#head = '';
    }
    if (this.#left < 0) throw new Error('more bytes than the answer has');
    if (this.#left > 0) return true;
    this.#left = -1;
    this.#isBusy = false;
    this.#onAnswer(this, this.#status);
    return true;
  }
}
