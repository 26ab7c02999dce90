import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import Database from 'libsql';
import { between, killProcess, pick, sleep, within, type Fault } from '../Fault.ts';
import { signalProcess } from '../Service.ts';

const BUSY_LOOPS = 3;

const starved: Fault = {
  name: 'cpu-starved',
  allows: ['delay'],
  async run(_, random) {
    const ms = Math.round(between(3000, 6000, random));
    // Each loop ends by itself, even if this process is killed.
    const loops = Array.from({ length: BUSY_LOOPS }, () =>
      spawn(process.execPath, ['-e', `for (const end = Date.now() + ${ms}; Date.now() < end; );`], { stdio: 'ignore' }),
    );
    await Promise.all(loops.map((loop) => new Promise((resolve) => loop.once('exit', resolve))));
    return `${BUSY_LOOPS} busy loops for ${ms} ms`;
  },
};

/** Another process locks the file of the accounts. */
const storeLocked: Fault = {
  name: 'store-locked',
  isLight: true,
  async run({ service }, random) {
    const ms = between(2000, 4000, random);
    const database = new Database(path.join(service.folder, 'tickmark.sqlite'));
    const lock = (): boolean => {
      try {
        database.exec('BEGIN EXCLUSIVE');
        return true;
      } catch {
        // The service is writing at the moment.
        return false;
      }
    };
    const isLocked = await within(2000, lock);
    await sleep(ms);
    if (isLocked) database.exec('ROLLBACK');
    database.close();
    return isLocked ? `for ${ms.toFixed(0)} ms` : 'the lock was not available';
  },
};

/** The reader of the standard error pipe stops. */
const logStalled: Fault = {
  name: 'log-stalled',
  isLight: true,
  async run({ service }, random) {
    const ms = between(5000, 12_000, random);
    service.log.pause();
    await sleep(ms);
    service.log.resume();
    return `for ${(ms / 1000).toFixed(1)} s`;
  },
};

/** The processes cannot open files or sockets; sometimes an inference process must restart at the same time. */
const filesLimited: Fault = {
  name: 'files-limited',
  allows: ['cut', 'delay', 'restart'],
  async run({ service, callers }, random) {
    const { services, inference } = service.processes();
    const limits = readFileSync(`/proc/${service.pid}/limits`, 'utf8');
    const soft = /Max open files\s+(\d+)/.exec(limits)?.[1] ?? '1024';
    // prlimit of util-linux; a process that has exited meanwhile needs no limit.
    const limitTo = (count: string): void => {
      for (const pid of new Set([service.pid, ...services.map((each) => each.pid)]))
        spawnSync('prlimit', ['--pid', `${pid}`, `--nofile=${count}:`]);
    };
    // Numbers below it are in use by the descriptors that a process opens at its start.
    limitTo('12');
    const isKilled = random.uniform() < 0.5;
    if (isKilled) signalProcess(pick(inference, random)?.pid, 'SIGKILL');
    const ms = between(1500, 3000, random);
    for (const endMs = performance.now() + ms; performance.now() < endMs; await sleep(100)) void callers.ready();
    limitTo(soft);
    return `for ${ms.toFixed(0)} ms, inference process ${isKilled ? 'killed' : 'not killed'} meanwhile`;
  },
};

const workerKilled: Fault = {
  name: 'worker-killed',
  needsWorkers: true,
  allows: ['cut', 'restart'],
  async run({ service }, random) {
    const pid = pick(service.processes().services, random)?.pid;
    await killProcess(pid);
    return `process ${pid}`;
  },
};

const workerStopped: Fault = {
  name: 'worker-stopped',
  needsWorkers: true,
  // Meanwhile it is given connections; it may be replaced.
  allows: ['cut', 'delay', 'restart'],
  async run({ service }, random) {
    const ms = between(2000, 6000, random);
    const pid = pick(service.processes().services, random)?.pid;
    signalProcess(pid, 'SIGSTOP');
    await sleep(ms);
    signalProcess(pid, 'SIGCONT');
    return `process ${pid} for ${(ms / 1000).toFixed(1)} s`;
  },
};

export const MACHINE_FAULTS: readonly Fault[] = [workerKilled, workerStopped, starved, storeLocked, logStalled, filesLimited];
