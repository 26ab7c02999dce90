import { fork, type ChildProcess } from 'node:child_process';
import { systemClock } from '../core/Clock.ts';
import type { ProcessEnvironment } from './BackendCandidate.ts';

export type ProbeReport =
  | {
      readonly works: true;
      readonly description: string;
      /** Of one FusedLSTM forward pass (PROBED_SHAPE), median. */ readonly forwardMs: number;
    }
  | { readonly works: false; readonly reason: string };

export type ProbeOptions = {
  /** For the child. Default: that of this process. */
  readonly environment?: ProcessEnvironment | undefined;
  readonly timeLimitMs?: number | undefined;
  /** The child's program. Tests pass ones that crash or hang. */
  readonly main?: URL;
};

/** Beside this file, as source or built. */
const PROBE_MAIN = new URL(import.meta.url.endsWith('.ts') ? './probeMain.ts' : './probeMain.js', import.meta.url);

/** Loading the libraries takes seconds; the first use of a GPU that the library holds no code for, minutes. */
const TIME_LIMIT_MS = 180_000;
const MAX_SHOWN = 300;

function notStarted(error: unknown): ProbeReport {
  return { works: false, reason: `its probe could not be started: ${error instanceof Error ? error.message : String(error)}` };
}

/**
 * Opens one backend in a process of its own, compares it with the plain loop and times it. A crash, a hang and a wrong number cost that
 * process alone. Never throws.
 */
export function probeInChild(
  candidate: string,
  { environment, timeLimitMs = TIME_LIMIT_MS, main = PROBE_MAIN }: ProbeOptions = {},
): Promise<ProbeReport> {
  return new Promise((resolve) => {
    // TensorFlow reads its environment when it is loaded: of the CUDA libraries the native candidate takes the processor's half.
    const env = environment === undefined || candidate === 'cuda' ? environment : { ...environment, CUDA_VISIBLE_DEVICES: '-1' };
    let child: ChildProcess;
    try {
      child = fork(main, [candidate], {
        ...(env === undefined ? {} : { env }),
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        serialization: 'json',
      });
    } catch (error) {
      return resolve(notStarted(error));
    }
    let report: ProbeReport | undefined;
    let errors = '';
    const callOff = systemClock.after(timeLimitMs, () => {
      report ??= { works: false, reason: `its probe gave no answer within ${timeLimitMs / 1000} s` };
      child.kill('SIGKILL');
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (errors = (errors + chunk).slice(-4 * MAX_SHOWN)));
    child.once('message', (message) => (report = message as ProbeReport));
    // Without file descriptors no other event follows.
    child.once('error', (error) => {
      callOff();
      resolve(notStarted(error));
    });
    child.once('close', (code, signal) => {
      callOff();
      const lastLine = errors.trim().split('\n').at(-1)?.slice(0, MAX_SHOWN) ?? '';
      resolve(
        report ?? {
          works: false,
          reason: `its probe ended with ${signal ?? `exit code ${code}`}${lastLine === '' ? '' : ` (${lastLine})`}`,
        },
      );
    });
  });
}
