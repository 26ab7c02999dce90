import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Clock } from '../../src/core/Clock.ts';

/** Why a model has no figures, as a part of a sentence. */
export class ModelFault extends Error {}

export type ModelLimits = {
  /** For one answer, and before the first one in addition, for imports. */
  readonly answerMs: number;
  readonly startMs: number;
};

/** Longest line of an answer, and what is kept of standard error. */
const MOST_ANSWER_BYTES = 1000;
const KEPT_ERROR_CHARACTERS = 400;
/** A command whose input has ended may write files before it ends. */
const END_MS = 5000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type Waiting = { readonly id: number; resolve(probability: number): void; reject(fault: ModelFault): void };

/**
 * A command of the user that answers windows, one at a time: a line of JSON each way. The next window is written when the one before is answered, so
 * no line holds anything later than its window. After a fault every call fails with it, and the command is killed.
 */
export class ModelProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #clock: Pick<Clock, 'after'>;
  readonly #limits: ModelLimits;
  readonly #ended: Promise<unknown>;
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    this.#kill();
    this.#forget();
    process.kill(process.pid, signal);
  };
  #fault: ModelFault | undefined;
  #waiting: Waiting | undefined;
  #onFault: (fault: ModelFault) => void = () => {};
  #answered = 0;
  #line = '';
  #errors = '';
  #isClosing = false;

  constructor(command: string, limits: ModelLimits, clock: Pick<Clock, 'after'>) {
    this.#limits = limits;
    this.#clock = clock;
    // A group of its own, so that a kill reaches the program behind the shell.
    this.#child = spawn(command, { shell: true, detached: process.platform !== 'win32' });
    this.#ended = once(this.#child, 'close').catch(() => {});
    // Ctrl-C does not reach its group.
    for (const signal of SIGNALS) process.once(signal, this.#onSignal);
    this.#child.on('error', (error) => this.#fail(`cannot start: ${error.message}`));
    this.#child.on('close', (code, signal) => {
      if (!this.#isClosing) this.#fail(`ended with ${signal ?? `code ${code}`} after ${this.#answered} answers${this.#errorText()}`);
    });
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-KEPT_ERROR_CHARACTERS);
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#read(text));
  }

  /** Writes lines that need no answer. @throws ModelFault */
  async tell(lines: Iterable<string>): Promise<void> {
    const fault = new Promise<never>((_, reject) => (this.#onFault = reject));
    fault.catch(() => {});
    for (const line of lines) {
      if (this.#fault !== undefined) throw this.#fault;
      // A command that does not read holds back the next line: memory stays bounded.
      if (this.#child.stdin.write(`${line}\n`)) continue;
      const callOff = this.#limit('did not read its input');
      // A broken pipe: the end of the process tells why.
      const drained = once(this.#child.stdin, 'drain').catch(() => fault);
      await Promise.race([drained, fault]).finally(callOff);
    }
  }

  /** Writes the lines, the last of which asks for window `id`. @throws ModelFault */
  async ask(lines: Iterable<string>, id: number): Promise<number> {
    const answer = new Promise<number>((resolve, reject) => (this.#waiting = { id, resolve, reject }));
    answer.catch(() => {});
    await this.tell(lines);
    if (this.#fault !== undefined) throw this.#fault;
    return answer.finally(this.#limit(`had no answer to window ${id}`));
  }

  /** Ends the input and the process. @throws ModelFault if it wrote more lines than windows */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#child.stdin.end();
    const callOff = this.#clock.after(END_MS, () => this.#kill());
    await this.#ended;
    callOff();
    // Programs that the command left behind.
    this.#kill();
    this.#forget();
    if (this.#fault !== undefined) throw this.#fault;
  }

  /** Fails after the time for one answer; returns what calls it off. */
  #limit(what: string): () => void {
    const ms = this.#limits.answerMs + (this.#answered === 0 ? this.#limits.startMs : 0);
    return this.#clock.after(ms, () => this.#fail(`${what} after ${ms / 1000} s${this.#errorText()}`), true);
  }

  #read(text: string): void {
    this.#line += text;
    for (let end = this.#line.indexOf('\n'); end >= 0; end = this.#line.indexOf('\n')) {
      const line = this.#line.slice(0, end);
      this.#line = this.#line.slice(end + 1);
      this.#take(line.trim());
    }
    if (this.#line.length > MOST_ANSWER_BYTES) this.#fail(`wrote a line of more than ${MOST_ANSWER_BYTES} bytes`);
  }

  #take(line: string): void {
    const waiting = this.#waiting;
    if (this.#fault !== undefined) return;
    if (waiting === undefined) return this.#fail(`wrote more lines than it was sent windows: ${line.slice(0, 80)}`);
    let answer: { id?: unknown; probability?: unknown } | null;
    try {
      // Python writes NaN as it is.
      answer = JSON.parse(line.replace(/\b(NaN|-?Infinity)\b/, '"$1"')) as typeof answer;
    } catch {
      return this.#fail(`wrote a line that is not JSON: ${line.slice(0, 80)}`);
    }
    const { id, probability: p } = answer ?? {};
    if (id !== waiting.id) return this.#fail(`answered window ${String(id)} when asked for ${waiting.id}`);
    if (typeof p !== 'number' || !(p >= 0 && p <= 1))
      return this.#fail(`answered window ${waiting.id} with ${String(p)}, which is no probability from 0 to 1`);
    this.#answered++;
    this.#waiting = undefined;
    waiting.resolve(p);
  }

  #errorText(): string {
    const last = this.#errors.trim().split(/[\r\n]+/).at(-1) ?? ''; // prettier-ignore
    return last === '' ? '' : `: ${last}`;
  }

  #fail(text: string): void {
    if (this.#fault !== undefined) return;
    this.#fault = new ModelFault(text);
    this.#waiting?.reject(this.#fault);
    this.#onFault(this.#fault);
    this.#kill();
  }

  #forget(): void {
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }

  #kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      if (process.platform === 'win32') this.#child.kill('SIGKILL');
      else process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}
