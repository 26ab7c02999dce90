import { existsSync } from 'node:fs';
import type { Random } from '../../src/core/Random.ts';
import type { Allowance, Allowances } from './Allowances.ts';
import type { Callers } from './Callers.ts';
import type { Ledger } from './Ledger.ts';
import { signalProcess, type Service } from './Service.ts';
import type { Window } from './windows.ts';

/** The context of a fault. */
export type World = {
  readonly service: Service;
  readonly callers: Callers;
  readonly ledger: Ledger;
  readonly allowances: Allowances;
  readonly windows: readonly Window[];
};

export type Fault = {
  readonly name: string;
  /** A light fault runs together with a heavy one, and does not affect its checks. */
  readonly isLight?: true;
  readonly needsWorkers?: true;
  readonly allows?: readonly Allowance[];
  /** Resolves at its end with a description for the log. */
  run(world: World, random: Random): Promise<string>;
};

/** A killed process exists for a short time. */
export async function killProcess(pid: number | undefined): Promise<void> {
  signalProcess(pid, 'SIGKILL');
  await within(2000, () => !existsSync(`/proc/${pid}`));
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
export const pick = <T>(items: readonly T[], random: Random): T | undefined => items[random.integer(items.length)];
/** A random number from `low` to `high`. */
export const between = (low: number, high: number, random: Random): number => low + (high - low) * random.uniform();

/** Whether the condition became true in time. Allowed delays extend the time by at most three times its length. */
export async function within(ms: number, isSo: () => boolean | Promise<boolean>, allowances?: Allowances): Promise<boolean> {
  const fromMs = performance.now();
  for (;;) {
    if (await isSo()) return true;
    const nowMs = performance.now();
    const delayMs = Math.min(3 * ms, allowances?.overlapMs('delay', fromMs, nowMs) ?? 0);
    if (nowMs - fromMs - delayMs > ms) return false;
    await sleep(50);
  }
}
