import type { ChildProcess } from 'node:child_process';

/** Of each log, what a failed test shows: enough for the last error with its stack. */
const LINES = 12;
const LINE_CHARS = 300;
const KEPT_CHARS = LINES * LINE_CHARS;
/** Ended services that are kept next to the running ones. */
const ENDED = 3;

type ServiceLog = {
  readonly name: string;
  /** The last output of the service. */
  readonly tail: () => string;
  readonly hasEnded: () => boolean;
};

/** Logs of the services of the test file that is running. Global, because a bundled test file has its own copy of this module. */
const logs = ((globalThis as { tickmarkServiceLogs?: Set<ServiceLog> }).tickmarkServiceLogs ??= new Set());

/** Shows the log of a service in the failures of the tests of this file, also after its end, until more have ended. */
export function keepLog(log: ServiceLog): void {
  const ended = [...logs].filter(({ hasEnded }) => hasEnded());
  for (const old of ended.slice(0, -ENDED)) logs.delete(old);
  logs.add(log);
}

/** Keeps the last output of a process (`keepLog`), as far as it goes to pipes. */
export function keepOutput(name: string, child: ChildProcess): void {
  let tail = '';
  const keep = (chunk: unknown): void => void (tail = (tail + String(chunk)).slice(-KEPT_CHARS));
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  let how = 'running';
  child.once('exit', (code, signal) => (how = `ended with ${signal ?? `exit code ${code}`}`));
  keepLog({ name: `${name} (process ${child.pid})`, tail: () => `[${how}]\n${tail}`, hasEnded: () => how !== 'running' });
}

export const forgetLogs = (): void => logs.clear();

/** What a failed test shows of its services: the last lines of each. */
export function lastLines(): string {
  return [...logs].map(({ name, tail }) => `Last output of ${name}:\n${cut(tail())}`).join('\n');
}

const cut = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .slice(-LINES)
    .map((line) => `    | ${line.slice(0, LINE_CHARS)}`)
    .join('\n');
