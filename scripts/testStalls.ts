// Runs tests while their processes are stopped (SIGSTOP) for a part of every few seconds: a test that depends on how fast the machine is fails.
//   npm run test:stalls -- [--stop 3.5] [--every 7] [--only tests|services] [FILE ...] [-- MOCHA-OPTION ...]
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { parseArgs } from 'node:util';

const MOCHA = path.join(import.meta.dirname, '..', 'node_modules', 'mocha', 'bin', 'mocha.js');
const ALL = ['test/**/*.test.ts'];

type Process = {
  readonly pid: number;
  readonly parent: number;
  readonly isStopped: boolean;
  readonly isMocha: boolean;
  readonly isMarked: boolean;
};

/** In the environment of the tests: also of processes whose parent has ended. */
const MARK = `TEST_STALLS=${process.pid}`;

/** Undefined for a process that has ended, or of another user. */
function readProcess(pid: number): Process | undefined {
  const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, 'latin1');
  try {
    const stat = read('stat');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const isMocha = /mocha\.js|mocha\/lib\/.*worker/.test(read('cmdline'));
    return { pid, parent: Number(parent), isStopped: state === 'T', isMocha, isMarked: read('environ').split('\0').includes(MARK) };
  } catch {
    return undefined;
  }
}

/** The processes of the tests: what carries the mark, and all that they have started. */
function testProcesses(): Process[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : []));
  const found = new Map(all.filter(({ isMarked }) => isMarked).map((one) => [one.pid, one]));
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const one of all) if (found.has(one.parent)) found.set(one.pid, one);
  }
  return [...found.values()];
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

const stopped = new Set<number>();

/** A process that a test itself has stopped stays as it is. */
function stopAll(only: string | undefined): void {
  // Until there are no new ones: a process can start another while the table is read.
  for (let before = -1; before !== stopped.size;) {
    before = stopped.size;
    for (const { pid, isStopped, isMocha } of testProcesses()) {
      if (isStopped || stopped.has(pid) || (only !== undefined && isMocha !== (only === 'tests'))) continue;
      stopped.add(pid);
      send(pid, 'SIGSTOP');
    }
  }
}

function continueAll(): void {
  for (const pid of stopped) send(pid, 'SIGCONT');
  stopped.clear();
}

function readOptions(): { stopMs: number; everyMs: number; only: string | undefined; args: string[] } {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { stop: text, every: text, only: text } });
  const [stopMs, everyMs] = [1000 * Number(values.stop ?? 3.5), 1000 * Number(values.every ?? 7)];
  if (!(stopMs > 0 && stopMs < everyMs)) throw new Error('--stop and --every are seconds; --stop is more than 0 and less than --every.');
  if (!['tests', 'services', undefined].includes(values.only)) throw new Error(`--only is tests or services, not ${values.only}.`);
  const hasFiles = positionals.some((one) => !one.startsWith('-'));
  return { stopMs, everyMs, only: values.only, args: hasFiles ? positionals : [...ALL, ...positionals] };
}

function main(): void {
  if (process.platform !== 'linux') throw new Error('test:stalls needs Linux: it finds the processes of the tests in /proc.');
  const { stopMs, everyMs, only, args } = readOptions();
  const [name = '', mark] = MARK.split('=');
  const mocha = spawn(process.execPath, [MOCHA, ...args], { stdio: 'inherit', env: { ...process.env, [name]: mark } });
  let stalls = 0;
  const stop = (): void => {
    stopAll(only);
    stalls++;
    timer = setTimeout(() => {
      continueAll();
      timer = setTimeout(stop, everyMs - stopMs);
    }, stopMs);
  };
  let timer = setTimeout(stop, everyMs - stopMs);
  process.once('exit', continueAll);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      clearTimeout(timer);
      continueAll();
      mocha.kill(signal);
    });
  mocha.once('exit', (code) => {
    clearTimeout(timer);
    console.log(`The processes were stopped ${stalls} times for ${stopMs / 1000} s.`);
    process.exitCode = code ?? 1;
  });
}

try {
  main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}
