import type { InferenceHost } from '../inference/InferenceHost.ts';

/** The host as live forecasts see it: counts their rows that are queued or run. */
export class LiveRows implements InferenceHost {
  readonly #host: InferenceHost;
  #count = 0;
  #onIdle = (): void => {};

  constructor(host: InferenceHost) {
    this.#host = host;
  }

  get isIdle(): boolean {
    return this.#count === 0;
  }

  /** `run` is called, before the last row's answer goes to whoever waits for it, each time that none is left. It does not throw. */
  whenIdle(run: () => void): void {
    this.#onIdle = run;
  }

  infer(...args: Parameters<InferenceHost['infer']>): ReturnType<InferenceHost['infer']> {
    this.#count++;
    const answer = this.#host.infer(...args);
    const leave = (): void => {
      this.#count--;
      if (this.#count === 0) this.#onIdle();
    };
    answer.then(leave, leave);
    return answer;
  }

  close(): Promise<void> {
    return this.#host.close();
  }
}
