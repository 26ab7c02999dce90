/** Progress on standard error: on a terminal the passing events share one line, elsewhere only the lasting ones are printed. */
export class ProgressLine {
  readonly #write: (text: string) => void;
  readonly #isLive: boolean;
  #open = false;

  constructor(write: (text: string) => void, isLive: boolean) {
    this.#write = write;
    this.#isLive = isLive;
  }

  show(text: string, isPassing: boolean): void {
    if (this.#isLive) this.#write(`\r\x1b[2K${text}${isPassing ? '' : '\n'}`);
    else if (!isPassing) this.#write(`${text}\n`);
    this.#open = this.#isLive && isPassing;
  }

  end(): void {
    if (this.#open) this.#write('\n');
    this.#open = false;
  }
}
