import { mkdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import * as path from 'node:path';
import type { Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import { writeDurably } from '../writeDurably.ts';
import { readSmallFile } from './readSmallFile.ts';
import { registryPlaces } from './registryPlaces.ts';

const RETRY_MS = 50;
const LONGEST_WAIT_MS = 5000;
/** A holder works for milliseconds: a lock this old was left behind, whoever's it was. */
const LEFT_BEHIND_MS = 10 * 60_000;

/**
 * Runs `act` while no other process changes the registry of `modelsDir`. `act` does not wait for anything: within one process no two overlap.
 * A lock whose process is gone is taken over. Throws ServiceError `model.registry_busy` after 5 s, `file.unwritable`, and what `act` throws.
 */
export async function lockRegistry<T>(modelsDir: string, clock: Clock, act: () => T): Promise<T> {
  const { lock } = registryPlaces(modelsDir);
  const startMs = clock.monotonicMs();
  while (!take(lock, clock)) {
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

function take(lock: string, clock: Clock): boolean {
  const unwritable = (cause: unknown): ServiceError =>
    new ServiceError('file.unwritable', `${lock} cannot be written: ${(cause as Error).message}.`, { cause });
  try {
    mkdirSync(path.dirname(lock), { recursive: true });
  } catch (cause) {
    throw unwritable(cause);
  }
  try {
    writeDurably(lock, Buffer.from(`${process.pid} on ${hostname()}\n`));
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(cause);
    removeLeftBehind(lock, clock);
    return false;
  }
}

/** Only one process at a time looks, so that nobody removes the lock that another took meanwhile. */
function removeLeftBehind(lock: string, clock: Clock): void {
  if (!isLeftBehind(lock, clock)) return;
  const guard = `${lock}.removing`;
  try {
    mkdirSync(guard);
  } catch {
    if (ageMs(guard, clock) > LEFT_BEHIND_MS) rmSync(guard, { recursive: true, force: true });
    return;
  }
  try {
    if (isLeftBehind(lock, clock)) rmSync(lock, { force: true });
  } finally {
    rmdirSync(guard);
  }
}

/** One that is still empty names no host: its writer is at it. */
function isLeftBehind(lock: string, clock: Clock): boolean {
  const [pid, host] = (readSmallFile(lock, 1024) ?? '').trim().split(' on ');
  if (ageMs(lock, clock) > LEFT_BEHIND_MS) return true;
  return host === hostname() && !isAlive(Number(pid));
}

function ageMs(file: string, clock: Clock): number {
  return clock.nowMs() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? clock.nowMs());
}

/** A lock of this very process is from an earlier one of its number: `act` is over before another begins. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
