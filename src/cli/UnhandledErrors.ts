import type { EventEmitter } from 'node:events';

/** Called with each unhandled error. */
export type ReportStray = (message: string, error: unknown) => void;

/**
 * Handles unhandled errors of a service. An unhandled promise rejection is reported, and the service continues.
 * An uncaught exception leaves the process in an unknown state: it is reported, and `fatal` resolves, so that the service
 * finishes the requests in flight and the process ends.
 */
export class UnhandledErrors {
  readonly fatal: Promise<'fatal'>;
  readonly #source: EventEmitter;
  readonly #onRejection: (reason: unknown) => void;
  readonly #onException: (error: unknown) => void;

  constructor(report: ReportStray, source: EventEmitter = process) {
    this.#source = source;
    let resolve: (value: 'fatal') => void = () => {};
    this.fatal = new Promise((settle) => (resolve = settle));
    this.#onRejection = (reason) => report('unhandled promise rejection', reason);
    this.#onException = (error) => {
      report('uncaught exception; the service stops', error);
      resolve('fatal');
    };
    source.on('unhandledRejection', this.#onRejection).on('uncaughtException', this.#onException);
  }

  close(): void {
    this.#source.off('unhandledRejection', this.#onRejection).off('uncaughtException', this.#onException);
  }
}
