import { fork, type ChildProcess } from 'node:child_process';
import { systemClock } from '../../core/Clock.ts';
import type { ProcessEnvironment } from './Runtime.ts';

export type ProbeReport =
  | {
      readonly works: true;
      readonly description: string;
      /** Median of one FusedLSTM forward pass (PROBED_SHAPE). */ readonly forwardMs: number;
    }
  | { readonly works: false; readonly reason: string };

export type ProbeOptions = {
  /** Environment of the child. Default: that of this process. */
  readonly environment?: ProcessEnvironment | undefined;
  readonly timeLimitMs?: number | undefined;
  /** Program of the child. Tests pass programs that crash or hang. */
  readonly main?: URL;
};

/** In the same folder as this file, as source or built. */
const PROBE_MAIN = new URL(import.meta.url.endsWith('.ts') ? './probeMain.ts' : './probeMain.js', import.meta.url);

/** Loading the libraries takes seconds; the first use of a GPU for which the library has no compiled code takes minutes. */
const TIME_LIMIT_MS = 180_000;
const MAX_SHOWN = 300;

function notStarted(error: unknown): ProbeReport {
  return { works: false, reason: `its probe could not start: ${error instanceof Error ? error.message : String(error)}` };
}

/**
 * Opens one backend in a child process, compares it with the plain loop and times it. A crash or hang costs only that process.
 * Never throws.
 */
export function probeInChild(
  candidate: string,
  { environment, timeLimitMs = TIME_LIMIT_MS, main = PROBE_MAIN }: ProbeOptions = {},
): Promise<ProbeReport> {
  return new Promise((resolve) => {
    // TensorFlow reads its environment when it is loaded. With CUDA libraries, this makes the native candidate use the CPU.
    const env = environment === undefined || candidate.endsWith('cuda') ? environment : { ...environment, CUDA_VISIBLE_DEVICES: '-1' };
    let child: ChildProcess;
    try {
      child = fork(main, [candidate], {
        env,
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        serialization: 'json',
      });
    } catch (error) {
      return resolve(notStarted(error));
    }
    let report: ProbeReport | undefined;
    let errors = '';
    const callOff = systemClock.after(timeLimitMs, () => {
      report ??= { works: false, reason: `its probe did not finish within ${timeLimitMs / 1000} s` };
      child.kill('SIGKILL');
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (errors = (errors + chunk).slice(-4 * MAX_SHOWN)));
    child.once('message', (message) => (report = message as ProbeReport));
    // Without free file descriptors, this is the only event.
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

/** Messages of loaders and TensorFlow, and their meaning for an operator. */
const KNOWN: readonly { readonly says: RegExp; readonly means: string }[] = [
  {
    says: /invalid ELF header|file too short|undefined symbol|cannot open shared object|symbol lookup error|wrong ELF class/i,
    means: 'a library or the addon is damaged, incomplete or of another version; run npm run setup:native again',
  },
  {
    says: /NODE_MODULE_VERSION|did not self-register|different Node\.js version/i,
    means: 'the addon was built for another Node.js; run npm run setup:native again',
  },
  {
    says: /out of memory|\bOOM\b|RESOURCE_?EXHAUSTED|CUDA_ERROR_OUT_OF_MEMORY/i,
    means: 'the device has too little free memory; stop other programs that use it, or set RUNTIME_BACKEND to native or wasm',
  },
  {
    says: /driver version is insufficient|CUDA_ERROR_NO_DEVICE|failed call to cuInit|no kernel image/i,
    means: 'the NVIDIA driver does not fit these CUDA libraries or this GPU; install a newer driver',
  },
];

/** One line for an operator: the meaning if it is known, then the first line of the error. */
export function explainProbeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const said = (message.split('\n').find((line) => line.trim() !== '') ?? 'an error without a message').trim().slice(0, MAX_SHOWN);
  const known = KNOWN.find(({ says }) => says.test(message));
  return known === undefined ? said : `${known.means} (${said})`;
}
