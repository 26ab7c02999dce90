import { spawn } from 'node:child_process';
import { systemClock } from '../../core/Clock.ts';
import type { ProcessEnvironment } from '../runtime/Runtime.ts';

export type Ran = {
  /** null if the program was killed or could not start. */
  readonly code: number | null;
  /** Last 64 KiB of both outputs in order of arrival. */
  readonly output: string;
};

export type RunOptions = {
  readonly environment: ProcessEnvironment;
  readonly cwd?: string;
  /** Called for each line of output. */
  readonly onLine?: (line: string) => void;
  /** Stops the program and its child processes. */
  readonly signal?: AbortSignal | undefined;
};

/** Starts a program; tests pass their own. */
export type RunProgram = (program: string, args: readonly string[], options: RunOptions) => Promise<Ran>;

const KEPT_CHARACTERS = 64 * 1024;
/** A program that does not end on SIGTERM is killed after this. */
const GRACE_MS = 5000;

/** Runs a program without a shell and without input. Never throws; resolves when the program has ended and its outputs are closed. */
export const runProgram: RunProgram = (program, args, { environment, cwd, onLine, signal }) =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve({ code: null, output: '' });
    // A separate process group, so that signals also reach make and the compiler under node-gyp. This process forwards Ctrl-C.
    const child = spawn(program, args, {
      cwd,
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

/** Last lines of an output, for an error message. */
export function lastLines(output: string, count = 6): string {
  return output
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '')
    .slice(-count)
    .join('\n');
}
