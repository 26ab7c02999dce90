/** Elsewhere than on a terminal a passing event is printed this often: a log shows that the work goes on, and stays short. */
const QUIET_MS = 30_000;

/** Progress on standard error: on a terminal the passing events share one line, elsewhere the lasting ones and now and then a passing one are printed. */
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
