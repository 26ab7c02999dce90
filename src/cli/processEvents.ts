import { processEnvironment } from '../core/config/processEnvironment.ts';

/** Exit codes of a process that a signal ended: 128 + its number. */
export const STOP_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof STOP_CODES;

/** Under npm, one Ctrl-C arrives twice: from the terminal, and from npm, which forwards it. */
const signalsOfOnePress = (): number => (processEnvironment()['npm_lifecycle_event'] === undefined ? 1 : 2);

/** Waits for Ctrl-C, SIGTERM or SIGHUP. The first signal resolves `first`, even while the service is starting; the second ends the process. */
export class StopSignals {
  readonly first: Promise<StopSignal>;
  readonly #ofOnePress: number;
  readonly #exit: (code: number) => void;
  #resolve: (signal: StopSignal) => void = () => {};
  #received = 0;
  #closed = false;

  constructor({ ofOnePress = signalsOfOnePress(), exit = process.exit as (code: number) => void } = {}) {
    this.#ofOnePress = ofOnePress;
    this.#exit = exit;
    this.first = new Promise((resolve) => (this.#resolve = resolve));
    for (const signal of Object.keys(STOP_CODES) as StopSignal[]) process.on(signal, this.#onSignal);
  }

  /** Ignores all later signals; their handlers stay installed. */
  close(): void {
    this.#closed = true;
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (this.#closed) return;
    this.#received++;
    if (this.#received === 1) this.#resolve(signal as StopSignal);
    else if (this.#received > this.#ofOnePress) this.#exit(STOP_CODES[signal as StopSignal]);
  };
}

/**
 * Handles unhandled errors of a service. An unhandled promise rejection is reported, and the service continues.
 * An uncaught exception leaves the process in an unknown state: it is reported, and `fatal` resolves, so that the service
 * finishes the requests in flight and the process ends.
 */
export function handleUnhandled(report: (message: string, error: unknown) => void): { readonly fatal: Promise<'fatal'>; close(): void } {
  const onRejection = (reason: unknown): void => report('unhandled promise rejection', reason);
  let onException = (_error: Error): void => {};
  const fatal = new Promise<'fatal'>((resolve) => {
    onException = (error) => {
      report('uncaught exception; the service stops', error);
      resolve('fatal');
    };
  });
  process.on('unhandledRejection', onRejection).on('uncaughtException', onException);
  return { fatal, close: () => void process.off('unhandledRejection', onRejection).off('uncaughtException', onException) };
}
