import type { EventEmitter } from 'node:events';

/** Told of what nobody caught. */
export type ReportStray = (message: string, error: unknown) => void;

/**
 * The last resort of a service. A promise that nobody waited for is reported, and the service goes on. After an exception that nobody caught its state
 * is not known: it is reported, and `fatal` resolves, so that requests at hand are finished and the process ends.
 */
export class StrayErrors {
  readonly fatal: Promise<'fatal'>;
  readonly #source: EventEmitter;
  readonly #onRejection: (reason: unknown) => void;
  readonly #onException: (error: unknown) => void;

  constructor(report: ReportStray, source: EventEmitter = process) {
    this.#source = source;
    let resolve: (value: 'fatal') => void = () => {};
    this.fatal = new Promise((settle) => (resolve = settle));
    this.#onRejection = (reason) => report('promise rejected, and nobody waited for it', reason);
    this.#onException = (error) => {
      report('exception that nobody caught; the service ends', error);
      resolve('fatal');
    };
    source.on('unhandledRejection', this.#onRejection).on('uncaughtException', this.#onException);
  }

  close(): void {
    this.#source.off('unhandledRejection', this.#onRejection).off('uncaughtException', this.#onException);
  }
}
