import * as net from 'node:net';

/** One buffer for all sockets: its content is parsed before the next read. */
const INBOX = Buffer.allocUnsafe(65_536);
const HEAD_END = '\r\n\r\n';

/**
 * One keep-alive HTTP/1.1 connection, one request at a time, with little CPU, because the generator runs on the machine that it measures.
 * It reads only the status and the length of an answer.
 */
export class Connection {
  readonly #socket: net.Socket;
  readonly #onAnswer: (connection: Connection, status: number) => void;
  #head = '';
  #status = 0;
  /** Missing bytes of the body; -1 while the headers are incomplete. */
  #left = -1;
  #isClosing = false;

  /**
   * @param onAnswer the whole answer was read
   * @param onEnd the connection is closed
   */
  constructor(port: number, onAnswer: (connection: Connection, status: number) => void, onEnd: (connection: Connection) => void) {
    this.#onAnswer = onAnswer;
    const onread = { buffer: INBOX, callback: (count: number) => this.#read(count) };
    this.#socket = net.connect({ port, host: '127.0.0.1', noDelay: true, onread });
    // 'close' follows.
    this.#socket.on('error', () => {});
    this.#socket.once('close', () => onEnd(this));
  }

  /** Whether the server announced that it closes the connection after this answer. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  send(request: Buffer): void {
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
    this.#onAnswer(this, this.#status);
    return true;
  }
}
