import { spawn } from 'node:child_process';
import { systemClock } from '../core/Clock.ts';
import type { ProcessEnvironment } from '../runtime/BackendCandidate.ts';

export type Ran = {
  /** null where the program was killed or could not be started. */
  readonly code: number | null;
  /** Both outputs in the order of arrival, the last 64 KiB. */
  readonly output: string;
};

export type RunOptions = {
  readonly environment: ProcessEnvironment;
  readonly cwd?: string;
  /** Told each line as it comes. */
  readonly onLine?: (line: string) => void;
  /** Ends the program and all that it has started. */
  readonly signal?: AbortSignal | undefined;
};

/** Starts a program; tests pass their own. */
export type RunProgram = (program: string, args: readonly string[], options: RunOptions) => Promise<Ran>;

const KEPT_CHARACTERS = 64 * 1024;
/** A program that does not end on SIGTERM is killed after this. */
const GRACE_MS = 5000;

/** Runs a program without a shell and without input. Never throws; ends when the program and its outputs have. */
export const runProgram: RunProgram = (program, args, { environment, cwd, onLine, signal }) =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve({ code: null, output: '' });
    // A group of its own: make and the compiler below node-gyp are reached too. A Ctrl-C comes to us alone, and we pass it on.
    const child = spawn(program, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const kill = (by: 'SIGTERM' | 'SIGKILL'): void => killGroup(child.pid, by);
    let callOff = (): void => {};
    const stop = (): void => {
      kill('SIGTERM');
      callOff = systemClock.after(GRACE_MS, () => kill('SIGKILL'));
    };
    signal?.addEventListener('abort', stop, { once: true });
    const end = (ran: Ran): void => {
      signal?.removeEventListener('abort', stop);
      callOff();
      resolve(ran);
    };
    let output = '';
    let open = '';
    const take = (chunk: string): void => {
      output = (output + chunk).slice(-KEPT_CHARACTERS);
      if (onLine === undefined) return;
      const lines = (open + chunk).split(/[\r\n]+/);
      open = (lines.pop() ?? '').slice(-KEPT_CHARACTERS);
      for (const line of lines) if (line.trim() !== '') onLine(line.trimEnd());
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.once('error', (error) => end({ code: null, output: output + error.message }));
    child.once('close', (code) => end({ code, output }));
  });

function killGroup(pid: number | undefined, by: 'SIGTERM' | 'SIGKILL'): void {
  try {
    if (pid !== undefined) process.kill(-pid, by);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The last lines of an output that are worth showing in an error. */
export function lastLines(output: string, count = 6): string {
  return output
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '')
    .slice(-count)
    .join('\n');
}
