import { existsSync, readFileSync } from 'node:fs';
import { roleOf, type ChildRole } from '../../bench/serving/procStat.ts';

const fileOf = (pid: number): string => `/proc/${pid}/task/${pid}/children`;

/** Whether this system tells the children of a process; Linux does. */
export const tellsChildren = existsSync(fileOf(process.pid));

/** Processes that a process has started. */
export function childrenOf(pid: number): number[] {
  const text = readFileSync(fileOf(pid), 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** Of those that a service has started, the ones with this role. */
export const childrenAs = (role: ChildRole, pid: number): number[] => childrenOf(pid).filter((child) => roleOf(child) === role);
