import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import * as path from 'node:path';
import { keepOutput } from './serviceLogs.ts';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** The build that a start of this checkout runs; makes it if it is missing. */
export function builtFolder(): string {
  const script = "import { ensureBuilt } from './bin/ensureBuilt.js'; process.stdout.write(ensureBuilt(process.cwd(), () => {}));";
  return execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: ROOT, encoding: 'utf8' });
}

export type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type TickmarkProcess = {
  readonly child: ChildProcess;
  /** Output of the process so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<Ended>;
};

/** The program of the build: `bin/tickmark.js` reads all sources at each start to find it, a tenth of a second of processor time. */
let main: string | undefined;

/** `standard`: descriptors instead of the pipes of standard output and standard error. */
export type Standard = { readonly out?: number; readonly err?: number };

export function spawnTickmark(args: readonly string[], env: NodeJS.ProcessEnv = {}, standard: Standard = {}): TickmarkProcess {
  // What cannot be written is handled from the first line of `bin/tickmark.js` on.
  const program =
    Object.keys(standard).length > 0 ? path.join(ROOT, 'bin', 'tickmark.js') : (main ??= path.join(builtFolder(), 'src', 'main.js'));
  const child = spawn(process.execPath, [program, ...args], {
    // Processes of tests use the MongoDB of the tests only on request, and one worker starts faster than several.
    env: { ...process.env, MONGODB_URI: '', WORKERS: '1', ...env },
    stdio: ['ignore', standard.out ?? 'pipe', standard.err ?? 'pipe'],
  });
  keepOutput(`tickmark ${args.join(' ')}`, child);
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk) => (stdout += chunk));
  child.stderr?.on('data', (chunk) => (stderr += chunk));
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

export type ServedProcess = TickmarkProcess & { readonly url: string };

/** Starts `tickmark serve` on a free port and waits until it has printed its address. If it exits before, throws with its output. */
export async function serveTickmark(dataDir: string, env: NodeJS.ProcessEnv = {}, standard: Standard = {}): Promise<ServedProcess> {
  // A service that was stopped for as long as its deadlines refuses forecasts and accounts for a moment: not on a busy machine of tests.
  const usual = { PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, FORECAST_DEADLINE_MS: '60000', STORE_TIMEOUT_MS: '60000' };
  const served = spawnTickmark(['serve'], { ...usual, ...env }, standard);
  const ready = new Promise<string>((resolve) => {
    served.child.stdout?.on('data', () => {
      const url = /is ready on (http:\S+)\n[^]*Ctrl-C/.exec(served.stdout())?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const failed = served.ended.then(({ code, stdout, stderr }): never => {
    throw new Error(`tickmark serve exited with code ${code} before it was ready:\n${stdout}${stderr}`);
  });
  const url = await Promise.race([ready, failed]);
  // From here on, its exit is expected.
  failed.catch(() => {});
  return { ...served, url };
}
