import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import Database from 'libsql';
import { between, pick, sleep, within, type Fault } from '../Fault.ts';
import { signalProcess } from '../Service.ts';

const BUSY_LOOPS = 3;

const starved: Fault = {
  name: 'cpu-starved',
  allows: ['delay'],
  async run({ cleanUps }, random) {
    const ms = Math.round(between(3000, 6000, random));
    // Each ends by itself, whatever becomes of this process.
    const loops = Array.from({ length: BUSY_LOOPS }, () =>
      spawn(process.execPath, ['-e', `for (const end = Date.now() + ${ms}; Date.now() < end; );`], { stdio: 'ignore' }),
    );
    const end = (): void => loops.forEach((loop) => void loop.kill('SIGKILL'));
    cleanUps.add(end);
    await Promise.all(loops.map((loop) => new Promise((resolve) => loop.once('exit', resolve))));
    cleanUps.delete(end);
    return `${BUSY_LOOPS} busy loops for ${ms} ms`;
  },
};

/** Another process has the file of the accounts for itself. */
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
        // The service is writing.
        return false;
      }
    };
    const isLocked = await within(2000, lock);
    await sleep(ms);
    if (isLocked) database.exec('ROLLBACK');
    database.close();
    return isLocked ? `for ${ms.toFixed(0)} ms` : 'no lock was to be had';
  },
};

/** Standard error is a pipe, and its reader stands still. */
const logStalled: Fault = {
  name: 'log-stalled',
  isLight: true,
  async run({ service, cleanUps }, random) {
    const ms = between(5000, 12_000, random);
    const resume = (): void => void service.log.resume();
    cleanUps.add(resume);
    service.log.pause();
    await sleep(ms);
    resume();
    cleanUps.delete(resume);
    return `for ${(ms / 1000).toFixed(1)} s`;
  },
};

/** The processes can open no file or socket; sometimes one must be started just then. */
const filesLimited: Fault = {
  name: 'files-limited',
  allows: ['cut', 'delay', 'restart'],
  async run({ service, callers, cleanUps }, random) {
    const { services, inference } = service.processes();
    const limits = readFileSync(`/proc/${service.pid}/limits`, 'utf8');
    const soft = /Max open files\s+(\d+)/.exec(limits)?.[1] ?? '1024';
    // util-linux; a process that has ended meanwhile needs no limit.
    const limitTo = (count: string): void => {
      for (const pid of new Set([service.pid, ...services.map((each) => each.pid)]))
        spawnSync('prlimit', ['--pid', `${pid}`, `--nofile=${count}:`]);
    };
    const restore = (): void => limitTo(soft);
    cleanUps.add(restore);
    // All numbers below it are taken by what a process opens at its start.
    limitTo('12');
    const isKilled = random.uniform() < 0.5;
    if (isKilled) signalProcess(pick(inference, random)?.pid, 'SIGKILL');
    const ms = between(1500, 3000, random);
    for (const endMs = performance.now() + ms; performance.now() < endMs; await sleep(100)) void callers.ready();
    restore();
    cleanUps.delete(restore);
    return `for ${ms.toFixed(0)} ms, inference process ${isKilled ? 'killed' : 'not killed'} meanwhile`;
  },
};

export const MACHINE_FAULTS: readonly Fault[] = [starved, storeLocked, logStalled, filesLimited];
