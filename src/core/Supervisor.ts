import type { Clock } from './Clock.ts';
import type { Logger } from './Logger.ts';

/** One run of a child process, from its start to its end. */
export type ChildRun<Ready> = {
  /** Resolves once the process does its work. Rejects where it does not come to that, also because it ended. */
  readonly ready: Promise<Ready>;
  /** Resolves with the reason once the process has ended, or could not be started. Never rejects. */
  readonly ended: Promise<string>;
  /** Messages received so far. */
  readonly heard: number;
  /** Whether it does something that has a time limit of its own: silence is allowed meanwhile. */
  readonly isBusy: boolean;
  /** Asks for a message back. */
  ping(): void;
  /** Ends the process at once (SIGKILL). Idempotent. */
  kill(): void;
};

export type SupervisorDeps<Ready, Run extends ChildRun<Ready>> = {
  /** For the log, such as `inference process`. */
  readonly name: string;
  /** Starts a process. May throw: a start that fails is tried again like a process that ends. */
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

/** Backoff: doubles with each failure in a row; the pause is between half of it and the whole. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** A process that was up for this long has recovered: the next pause is the first again. */
const SOUND_MS = 60_000;
/** Interval of the pings. Silence is counted in checks, so that a block of this process itself counts as one check only. */
const CHECK_MS = 1000;
/** A process that was killed ends within this time, or hangs in the kernel. */
const LAST_WAIT_MS = 1000;

/**
 * Keeps one child process up: waits until it is ready, kills it where it hangs, and starts it again with backoff and jitter however it ends, without
 * ever giving up. Every child process of the service is kept by one of these.
 */
export class Supervisor<Ready, Run extends ChildRun<Ready>> {
  readonly #deps: SupervisorDeps<Ready, Run>;
  #run: Run | undefined;
  #isUp = false;
  #isStopped = false;
  #upSinceMs = 0;
  #failures = 0;
  #killedFor: string | undefined;
  #cancelRestart = (): void => {};
  #cancelCheck = (): void => {};

  constructor(deps: SupervisorDeps<Ready, Run>) {
    this.#deps = deps;
  }

  /** The process that is ready now; undefined: none is. */
  get up(): Run | undefined {
    return this.#isUp ? this.#run : undefined;
  }

  /** The process that was started last, ready or not. */
  get latest(): Run | undefined {
    return this.#run;
  }

  /** Starts the process. Throws what the first start throws: then nothing is restarted, so that a broken setup is reported at once. */
  async start(): Promise<Ready> {
    try {
      return await this.#begin();
    } catch (error) {
      this.#isStopped = true;
      throw error;
    }
  }

  /** Starts the process in the background; a first start that fails is tried again too. */
  keep(): void {
    void this.#restart();
  }

  /** Kills the process that is up; it is started again. */
  restart(reason: string): void {
    if (this.#run !== undefined) this.#kill(this.#run, reason);
  }

  /** Asks a process that is up to end and kills it after `limitMs`, any other at once; no restart follows. Resolves once it has ended, or cannot even be killed. */
  async stop(ask: (run: Run) => void = (run) => run.kill(), limitMs = 0): Promise<void> {
    const { clock } = this.#deps;
    this.#isStopped = true;
    this.#cancelRestart();
    this.#cancelCheck();
    const run = this.#run;
    if (run === undefined) return;
    // One that is not ready has nothing to finish, and may not listen yet.
    if (this.#isUp) ask(run);
    else run.kill();
    let cancel = (): void => {};
    const givenUp = new Promise<void>((resolve) => {
      cancel = clock.after(
        limitMs,
        () => {
          run.kill();
          cancel = clock.after(LAST_WAIT_MS, resolve, true);
        },
        true,
      );
    });
    await Promise.race([run.ended, givenUp]);
    cancel();
  }

  async #begin(): Promise<Ready> {
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
      this.#check(run, run.heard, 0);
      void run.ended.then((reason) => this.#fall(run, reason));
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
      await this.#begin();
      logger.info(`${name} is up`, { ms: Math.round(clock.monotonicMs() - startMs) });
    } catch (error) {
      if (!this.#isStopped) this.#again(error instanceof Error ? error.message : String(error));
    }
  }

  /** The process is given up right away: one that cannot even be killed, in a hung driver, must not hold up the next one. */
  #kill(run: Run, reason: string): void {
    if (this.#run !== run) return;
    this.#killedFor = reason;
    run.kill();
    this.#fall(run, reason);
  }

  #fall(run: Run, reason: string): void {
    if (!this.#isUp || this.#run !== run) return;
    const { clock, onDown } = this.#deps;
    this.#isUp = false;
    this.#cancelCheck();
    if (clock.monotonicMs() - this.#upSinceMs > SOUND_MS) this.#failures = 0;
    onDown?.();
    if (!this.#isStopped) this.#again(reason);
  }

  #again(reason: string): void {
    const { name, clock, logger, jitter = Math.random } = this.#deps;
    const backoffMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures++);
    const restartInMs = Math.round(backoffMs * (0.5 + 0.5 * jitter()));
    logger.error(`${name} failed`, { reason, restartInMs });
    this.#cancelRestart = clock.after(restartInMs, () => void this.#restart(), true);
  }

  #check(run: Run, heard: number, silentChecks: number): void {
    const { clock, silenceMs } = this.#deps;
    run.ping();
    this.#cancelCheck = clock.after(CHECK_MS, () => {
      const silent = run.heard === heard && !run.isBusy ? silentChecks + 1 : 0;
      if (silent * CHECK_MS < silenceMs) this.#check(run, run.heard, silent);
      else this.#kill(run, `it did not answer for ${silenceMs / 1000} s`);
    });
  }
}
