import type { Clock } from './Clock.ts';
import type { Logger } from './Logger.ts';

/** One run of a child process, from its start to its end. */
export type ChildRun<Ready> = {
  /** Resolves when the process is ready. Rejects when it fails to become ready or ends first. */
  readonly ready: Promise<Ready>;
  /** Resolves with the reason when the process has ended or could not be started. Never rejects. */
  readonly ended: Promise<string>;
  /** Messages received so far. */
  readonly messagesReceived: number;
  /** Whether the process runs a task with a time limit of its own: silence is allowed during that time. */
  readonly isBusy: boolean;
  /** Requests a message in return. */
  ping(): void;
  /** Kills the process at once (SIGKILL). Idempotent. */
  kill(): void;
};

export type SupervisorDeps<Ready, Run extends ChildRun<Ready>> = {
  /** For the log, such as `inference process`. */
  readonly name: string;
  /** Starts a process. May throw: a failed start is retried like a process that ended. */
  readonly start: () => Run;
  /** A process that is not ready after this time is killed. */
  readonly readyMs: number;
  /** A process that is up and sends nothing for this time is killed. */
  readonly silenceMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Uniform in [0, 1): spreads restarts. */
  readonly jitter?: () => number;
  /** Called when a process is ready, before `start` resolves. */
  readonly onUp?: (run: Run, ready: Ready) => void;
  readonly onDown?: () => void;
};

/** Backoff: doubles with each consecutive failure; jitter chooses a delay between half of it and all of it. */
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 10_000;
/** A process that was up for this long has recovered: the backoff starts again at its first value. */
const RECOVERED_MS = 60_000;
/** Interval of the pings. Silence is counted in checks, so that a blocked event loop of this process counts as one check only. */
const CHECK_MS = 1000;
/** Longest wait for a killed process to end; after that it hangs in the kernel. */
const KILL_WAIT_MS = 1000;

/**
 * Keeps one child process up: waits until it is ready, kills it if it hangs, and restarts it with backoff and jitter without a limit of
 * attempts. The service uses one supervisor for each child process.
 */
export class Supervisor<Ready, Run extends ChildRun<Ready>> {
  readonly #deps: SupervisorDeps<Ready, Run>;
  #run: Run | undefined;
  #isUp = false;
  #isStopped = false;
  #upSinceMs = 0;
  #failures = 0;
  #restarts = 0;
  #killedFor: string | undefined;
  #cancelRestart = (): void => {};
  #cancelCheck = (): void => {};

  constructor(deps: SupervisorDeps<Ready, Run>) {
    this.#deps = deps;
  }

  /** The process that is ready now; undefined if none is. */
  get up(): Run | undefined {
    return this.#isUp ? this.#run : undefined;
  }

  /** How often the process ended, hung or did not start, and was started again. */
  get restarts(): number {
    return this.#restarts;
  }

  /** The process that was started last, ready or not. */
  get latest(): Run | undefined {
    return this.#run;
  }

  /** Starts the process. Throws the error of the first start and restarts nothing then, so that a broken setup is reported at once. */
  async start(): Promise<Ready> {
    try {
      return await this.#startRun();
    } catch (error) {
      this.#isStopped = true;
      throw error;
    }
  }

  /** Starts the process in the background; a failed first start is retried too. */
  startInBackground(): void {
    void this.#restart();
  }

  /** Kills the process that is up; the supervisor restarts it. */
  restart(reason: string): void {
    if (this.#run !== undefined) this.#kill(this.#run, reason);
  }

  /**
   * Calls `ask` if the process is ready and kills it after `limitMs`; kills it at once otherwise. No restart follows. Resolves when the
   * process has ended or cannot be killed.
   */
  async stop(ask: (run: Run) => void = (run) => run.kill(), limitMs = 0): Promise<void> {
    const { clock } = this.#deps;
    this.#isStopped = true;
    this.#cancelRestart();
    this.#cancelCheck();
    const run = this.#run;
    if (run === undefined) return;
    // A process that is not ready has nothing to finish, and may not be listening yet.
    if (this.#isUp) ask(run);
    else run.kill();
    let cancel = (): void => {};
    const givenUp = new Promise<void>((resolve) => {
      cancel = clock.after(
        limitMs,
        () => {
          run.kill();
          cancel = clock.after(KILL_WAIT_MS, resolve, true);
        },
        true,
      );
    });
    await Promise.race([run.ended, givenUp]);
    cancel();
  }

  async #startRun(): Promise<Ready> {
    const { start, readyMs, clock, onUp } = this.#deps;
    this.#killedFor = undefined;
    this.#run = undefined;
    const run = start();
    this.#run = run;
    const cancel = clock.after(readyMs, () => this.#kill(run, `it was not ready within ${readyMs / 1000} s`));
    try {
      const ready = await run.ready;
      if (this.#isStopped) throw new Error('it was stopped');
      this.#isUp = true;
      this.#upSinceMs = clock.monotonicMs();
      onUp?.(run, ready);
      this.#check(run, run.messagesReceived, 0);
      void run.ended.then((reason) => this.#onEnded(run, reason));
      return ready;
    } catch (error) {
      run.kill();
      throw this.#killedFor === undefined ? error : new Error(this.#killedFor, { cause: error });
    } finally {
      cancel();
    }
  }

  async #restart(): Promise<void> {
    const { name, clock, logger } = this.#deps;
    const startMs = clock.monotonicMs();
    try {
      await this.#startRun();
      logger.info(`${name} is up`, { ms: Math.round(clock.monotonicMs() - startMs) });
    } catch (error) {
      if (!this.#isStopped) this.#scheduleRestart(error instanceof Error ? error.message : String(error));
    }
  }

  /** Abandons the process at once: one that cannot be killed (hung driver) must not delay the next one. */
  #kill(run: Run, reason: string): void {
    if (this.#run !== run) return;
    this.#killedFor = reason;
    run.kill();
    this.#onEnded(run, reason);
  }

  #onEnded(run: Run, reason: string): void {
    if (!this.#isUp || this.#run !== run) return;
    const { clock, onDown } = this.#deps;
    this.#isUp = false;
    this.#cancelCheck();
    if (clock.monotonicMs() - this.#upSinceMs > RECOVERED_MS) this.#failures = 0;
    onDown?.();
    if (!this.#isStopped) this.#scheduleRestart(reason);
  }

  #scheduleRestart(reason: string): void {
    const { name, clock, logger, jitter = Math.random } = this.#deps;
    this.#restarts++;
    const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** this.#failures++);
    const restartInMs = Math.round(backoffMs * (0.5 + 0.5 * jitter()));
    logger.error(`${name} failed`, { reason, restartInMs });
    this.#cancelRestart = clock.after(restartInMs, () => void this.#restart(), true);
  }

  #check(run: Run, heard: number, silentChecks: number): void {
    const { clock, silenceMs } = this.#deps;
    run.ping();
    this.#cancelCheck = clock.after(CHECK_MS, () => {
      const silent = run.messagesReceived === heard && !run.isBusy ? silentChecks + 1 : 0;
      if (silent * CHECK_MS < silenceMs) this.#check(run, run.messagesReceived, silent);
      else this.#kill(run, `it did not answer for ${silenceMs / 1000} s`);
    });
  }
}
