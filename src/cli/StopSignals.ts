import { systemClock, type Clock } from '../core/Clock.ts';

/** Exit codes of a process that a signal ended: 128 + its number. */
export const STOP_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof STOP_CODES;

/** One Ctrl-C under `npm start` comes twice: from the terminal, and again from npm, which passes on what it got itself. */
const SAME_PRESS_MS = 500;

/**
 * Waits for Ctrl-C or SIGTERM. The first resolves `first`, also while the service is still starting; another one after it, unless it
 * is an echo of the first, ends the process.
 */
export class StopSignals {
  readonly first: Promise<StopSignal>;
  readonly #clock: Clock;
  readonly #exit: (code: number) => void;
  #resolve: (signal: StopSignal) => void = () => {};
  #firstMs: number | undefined;
  #closed = false;

  constructor({ clock = systemClock, exit = process.exit as (code: number) => void } = {}) {
    this.#clock = clock;
    this.#exit = exit;
    this.first = new Promise((resolve) => (this.#resolve = resolve));
    for (const signal of Object.keys(STOP_CODES) as StopSignal[]) process.on(signal, this.#onSignal);
  }

  /** From here on signals are ignored. They stay caught: an echo that comes late would end the process by its default otherwise. */
  close(): void {
    this.#closed = true;
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (this.#closed) return;
    if (this.#firstMs === undefined) {
      this.#firstMs = this.#clock.monotonicMs();
      this.#resolve(signal as StopSignal);
    } else if (this.#clock.monotonicMs() - this.#firstMs >= SAME_PRESS_MS) this.#exit(STOP_CODES[signal as StopSignal]);
  };
}
