import type { InferenceHost, NetworkProgram } from '../inference/InferenceHost.ts';

/** The host as live forecasts see it: counts their rows and parcels that wait or run. */
export class LiveRows implements InferenceHost {
  readonly #host: InferenceHost;
  #count = 0;
  #onIdle = (): void => {};
  readonly program?: NetworkProgram;

  constructor(host: InferenceHost) {
    this.#host = host;
    const { program } = host;
    if (program === undefined) return;
    this.program = {
      hand: (...args) => this.#counted(() => program.hand(...args)),
      get inHand() {
        return program.inHand;
      },
    };
  }

  get isIdle(): boolean {
    return this.#count === 0;
  }

  /** `run` is called, before the last row's answer goes to whoever waits for it, each time that none is left. It does not throw. */
  whenIdle(run: () => void): void {
    this.#onIdle = run;
  }

  infer(...args: Parameters<InferenceHost['infer']>): ReturnType<InferenceHost['infer']> {
    return this.#counted(() => this.#host.infer(...args));
  }

  close(): Promise<void> {
    return this.#host.close();
  }

  #counted<T>(ask: () => Promise<T>): Promise<T> {
    this.#count++;
    const answer = ask();
    const leave = (): void => {
      this.#count--;
      if (this.#count === 0) this.#onIdle();
    };
    answer.then(leave, leave);
    return answer;
  }
}
