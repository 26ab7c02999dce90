/** Exit codes of a process that a signal ended: 128 + its number. */
const CODES = { SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof CODES;

/** Waits for Ctrl-C or SIGTERM. The first resolves `first`, also while the service is still starting; the second ends the process. */
export class StopSignals {
  readonly first: Promise<StopSignal>;
  #resolve: (signal: StopSignal) => void = () => {};
  #seen = false;

  constructor() {
    this.first = new Promise((resolve) => (this.#resolve = resolve));
    for (const signal of Object.keys(CODES) as StopSignal[]) process.on(signal, this.#onSignal);
  }

  close(): void {
    for (const signal of Object.keys(CODES) as StopSignal[]) process.off(signal, this.#onSignal);
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (this.#seen) process.exit(CODES[signal as StopSignal]);
    this.#seen = true;
    this.#resolve(signal as StopSignal);
  };
}
