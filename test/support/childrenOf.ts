import { existsSync, readFileSync } from 'node:fs';
import { roleOf, type ChildRole } from '../../bench/serving/procStat.ts';

const fileOf = (pid: number): string => `/proc/${pid}/task/${pid}/children`;

/** Whether this system reports the children of a process, as Linux does. */
export const tellsChildren = existsSync(fileOf(process.pid));

/** Child processes of a process. */
export function childrenOf(pid: number): number[] {
  const text = readFileSync(fileOf(pid), 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** Of those that a service has started, the ones with this role. */
export const childrenAs = (role: ChildRole, pid: number): number[] => childrenOf(pid).filter((child) => roleOf(child) === role);

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
