import type { Clock } from '../Clock.ts';

export type LogSinkDeps = {
  readonly clock: Clock;
  /** Writes what fits now and returns the number of bytes; throws where none can be written. It must not block. */
  readonly write: (bytes: Uint8Array) => number;
};

/** Bytes kept while they cannot be written: some 4,000 lines. */
export const MAX_WAITING_BYTES = 1024 * 1024;
/** A line that may wait is written so much later, with all that came meanwhile. */
const SOON_MS = 10;
/** With so many characters that wait, nothing waits any longer: a busy event loop must not drop lines that could be written. */
const MOST_SOON = 65_536;
const FIRST_RETRY_MS = 5;
const LONGEST_RETRY_MS = 1000;
const NOTHING = new Uint8Array();

/**
 * Where log lines go, in their order. A line is written at once, so that the last one before a crash is there, or soon, if it may wait: a
 * system call for each request takes as long as making its line. Where it cannot be written (a pipe
 * that is not read, a full disk) it is kept and tried again, up to MAX_WAITING_BYTES. Further lines are dropped until all that was
 * kept is written; then one line says how many. Never blocks and never throws.
 */
export class LogSink {
  readonly #deps: LogSinkDeps;
  /** Being written; its first part may be written already. */
  #piece: Uint8Array = NOTHING;
  /** Whole lines after it. */
  #waiting: string[] = [];
  #waitingLength = 0;
  #droppedLines = 0;
  #unreported = 0;
  #retryMs = FIRST_RETRY_MS;
  #retryAtMs: number | undefined;
  #cancelRetry = (): void => {};
  #isDueSoon = false;

  constructor(deps: LogSinkDeps) {
    this.#deps = deps;
  }

  /** Since the start. */
  get droppedLines(): number {
    return this.#droppedLines;
  }

  /** `text`: one or more whole lines. `mayWait`: for at most SOON_MS. */
  write(text: string, mayWait = false): void {
    if (this.#unreported > 0 || this.#piece.length + this.#waitingLength + text.length > MAX_WAITING_BYTES) {
      const lines = text.split('\n').length - 1;
      this.#droppedLines += lines;
      this.#unreported += lines;
    } else {
      this.#waiting.push(text);
      this.#waitingLength += text.length;
    }
    if (mayWait && this.#waitingLength < MOST_SOON) return this.#writeSoon();
    // Also where the timer of a retry is late, because the event loop is busy.
    if (this.#retryAtMs === undefined || this.#deps.clock.monotonicMs() >= this.#retryAtMs) this.writeWaiting();
  }

  #writeSoon(): void {
    if (this.#isDueSoon || this.#retryAtMs !== undefined) return;
    this.#isDueSoon = true;
    this.#deps.clock.after(SOON_MS, () => {
      this.#isDueSoon = false;
      if (this.#retryAtMs === undefined) this.writeWaiting();
    });
  }

  /** Writes what can be written now; the rest is tried again later. */
  writeWaiting(): void {
    this.#cancelRetry();
    this.#retryAtMs = undefined;
    try {
      while (this.#hasPiece()) {
        const written = this.#deps.write(this.#piece);
        if (written > 0) this.#retryMs = FIRST_RETRY_MS;
        this.#piece = this.#piece.subarray(written);
      }
    } catch {
      this.#retryLater();
    }
  }

  /** Resolves when all is written, after `limitMs` at the latest. */
  async flush(limitMs: number): Promise<void> {
    const { clock } = this.#deps;
    const endMs = clock.monotonicMs() + limitMs;
    for (this.writeWaiting(); this.#hasPiece() && clock.monotonicMs() < endMs; this.writeWaiting())
      await new Promise<void>((resolve) => clock.after(FIRST_RETRY_MS, resolve, true));
  }

  #hasPiece(): boolean {
    if (this.#piece.length > 0) return true;
    if (this.#waiting.length === 0 && this.#unreported > 0) this.#waiting = [this.#report()];
    if (this.#waiting.length === 0) return false;
    this.#piece = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    this.#waitingLength = 0;
    return true;
  }

  #report(): string {
    const lines = this.#unreported;
    this.#unreported = 0;
    const time = new Date(this.#deps.clock.nowMs()).toISOString();
    return `${JSON.stringify({ level: 'warn', time, lines, msg: 'log lines were dropped' })}\n`;
  }

  #retryLater(): void {
    const { clock } = this.#deps;
    this.#retryAtMs = clock.monotonicMs() + this.#retryMs;
    this.#cancelRetry = clock.after(this.#retryMs, () => this.writeWaiting());
    this.#retryMs = Math.min(LONGEST_RETRY_MS, 2 * this.#retryMs);
  }
}
