/** Without a terminal, a passing event is printed at most this often, so that logs show progress and stay short. */
const QUIET_MS = 30_000;

/** Progress on standard error. On a terminal, passing events share one line; otherwise lasting events and occasional passing ones are printed. */
export class ProgressLine {
  readonly #write: (text: string) => void;
  readonly #isLive: boolean;
  readonly #nowMs: () => number;
  readonly #quietMs: number;
  #open = false;
  #printedMs: number;

  constructor(write: (text: string) => void, isLive: boolean, nowMs: () => number, quietMs = QUIET_MS) {
    this.#write = write;
    this.#isLive = isLive;
    this.#nowMs = nowMs;
    this.#quietMs = quietMs;
    this.#printedMs = nowMs();
  }

  show(text: string, isPassing: boolean): void {
    if (this.#isLive) this.#write(`\r\x1b[2K${text}${isPassing ? '' : '\n'}`);
    else if (!isPassing || this.#nowMs() - this.#printedMs >= this.#quietMs) {
      this.#write(`${text}\n`);
      this.#printedMs = this.#nowMs();
    }
    this.#open = this.#isLive && isPassing;
  }

  end(): void {
    if (this.#open) this.#write('\n');
    this.#open = false;
  }
}
