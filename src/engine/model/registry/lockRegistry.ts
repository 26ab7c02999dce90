import { mkdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import * as path from 'node:path';
import { unwritable, writing } from '../../../core/fileErrors.ts';
import type { Clock } from '../../../core/Clock.ts';
import { makeFolder } from '../../../core/makeFolder.ts';
import { ServiceError } from '../../../core/ServiceError.ts';
import { writeDurably } from '../../../core/writeDurably.ts';
import { readSmallFile } from '../readRegularFile.ts';
import { registryPaths } from './registryPaths.ts';

const RETRY_MS = 50;
const LONGEST_WAIT_MS = 5000;
/** A lock is held for milliseconds, so a lock of this age is stale. */
const STALE_MS = 10 * 60_000;

/**
 * Runs `act` while no other process changes the registry of `modelsDir`. `act` is synchronous, so no two overlap within one process.
 * Removes the lock of a process that no longer runs. Throws ServiceError `model.registry_busy` after 5 s, `file.unwritable`, and errors of
 * `act`.
 */
export async function lockRegistry<T>(modelsDir: string, clock: Clock, act: () => T): Promise<T> {
  const { lock } = registryPaths(modelsDir);
  const startMs = clock.monotonicMs();
  while (!acquire(lock, clock)) {
    if (clock.monotonicMs() - startMs > LONGEST_WAIT_MS)
      throw new ServiceError('model.registry_busy', `${lock} is held by process ${(readSmallFile(lock, 1024) ?? '').trim()}.`);
    await new Promise<void>((resolve) => void clock.after(RETRY_MS, resolve, true));
  }
  try {
    return act();
  } finally {
    rmSync(lock, { force: true });
  }
}

function acquire(lock: string, clock: Clock): boolean {
  writing(lock, () => makeFolder(path.dirname(lock)));
  try {
    writeDurably(lock, Buffer.from(`${process.pid} on ${hostname()}\n`));
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(lock, cause);
    removeStale(lock, clock);
    return false;
  }
}

/** The guard folder lets one process at a time check, so that no process removes a lock that another one has just acquired. */
function removeStale(lock: string, clock: Clock): void {
  if (!isStale(lock, clock)) return;
  const guard = `${lock}.removing`;
  try {
    mkdirSync(guard);
  } catch {
    if (ageMs(guard, clock) > STALE_MS) rmSync(guard, { recursive: true, force: true });
    return;
  }
  try {
    if (isStale(lock, clock)) rmSync(lock, { force: true });
  } finally {
    rmdirSync(guard);
  }
}

/** An empty lock file names no host, because its writer is not finished, so it is not stale. */
function isStale(lock: string, clock: Clock): boolean {
  const [pid, host] = (readSmallFile(lock, 1024) ?? '').trim().split(' on ');
  if (ageMs(lock, clock) > STALE_MS) return true;
  return host === hostname() && !isAlive(Number(pid));
}

function ageMs(file: string, clock: Clock): number {
  return clock.nowMs() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? clock.nowMs());
}

/** Our own process id belongs to an earlier process with the same id, because `act` is synchronous. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
