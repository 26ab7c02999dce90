import { spawn, type ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/** Two workers with native TensorFlow take a minute on a busy machine. */
const START_MS = 180_000;
/** Characters of the output that are shown when a process ends. */
const TOLD_CHARACTERS = 160;

export type StartedProcess = { readonly child: ChildProcess; readonly firstLine: string };

/** Starts a program and waits for its first line on standard output. If it ends before, throws with the end of its standard error. */
export async function startProcess(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd?: string,
): Promise<StartedProcess> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
  });
  let errors = '';
  child.stderr.on('data', (chunk) => (errors = (errors + chunk).slice(-4096)));
  const firstLine = new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  const failed = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`no output within ${START_MS / 1000} s`)), START_MS).unref();
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`exited with code ${code}: ${lastWords(errors)}`)));
    void firstLine.then(() => clearTimeout(timer));
  });
  failed.catch(() => {});
  try {
    return { child, firstLine: await Promise.race([firstLine, failed]) };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

/** Error text for a table cell: the detail of a tickmark problem, else the line that names an error. */
function lastWords(text: string): string {
  const lines = text.trim().split('\n');
  const detail = /"detail":"(.*?)"/.exec(text)?.[1];
  const words = detail ?? lines.find((line) => /^\w*Error\b.*:/.test(line)) ?? lines.at(-1) ?? '';
  return words.replaceAll('|', '/').trim().slice(0, TOLD_CHARACTERS);
}

/** Waits until a connection is accepted. Throws after ten seconds. */
export async function untilListening(port: number): Promise<void> {
  const endMs = performance.now() + 10_000;
  const isTaken = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
    });
  while (!(await isTaken())) {
    if (performance.now() > endMs) throw new Error(`nothing listens on port ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
