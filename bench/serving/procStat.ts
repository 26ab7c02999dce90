import { readdirSync, readFileSync } from 'node:fs';

/** Linux reports CPU time to programs in hundredths of a second (USER_HZ). */
const MS_PER_TICK = 10;
const PAGE_BYTES = 4096;

export type ProcessStat = {
  readonly pid: number;
  readonly parentPid: number;
  /** User and system time of all threads of the process. */
  readonly cpuMs: number;
  readonly rssBytes: number;
};

/** Parses a line of /proc/PID/stat (proc(5)). The name is in brackets and may contain blanks and brackets. */
export function parseProcessStat(text: string): ProcessStat {
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  // The first field here is field 3 of proc(5), the state.
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    pid: Number.parseInt(text, 10),
    parentPid: field(4),
    cpuMs: (field(14) + field(15)) * MS_PER_TICK,
    rssBytes: field(24) * PAGE_BYTES,
  };
}

function readProcess(pid: number): ProcessStat | undefined {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // The process has ended.
    return undefined;
  }
}

export type ChildRole = 'worker' | 'inference';

/** What a child of a service does, by its command line; a worker is started by the command of the service. */
export function roleOf(pid: number): ChildRole {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('inferenceProcess') ? 'inference' : 'worker';
  } catch {
    // It has ended.
    return 'worker';
  }
}

/** A process and its descendants; the process is first. */
export function readTree(root: number): ProcessStat[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : []));
  return treeOf(root, all);
}

export function treeOf(root: number, all: readonly ProcessStat[]): ProcessStat[] {
  const tree = all.filter(({ pid }) => pid === root);
  for (let at = 0; at < tree.length; at++) tree.push(...all.filter(({ parentPid }) => parentPid === tree[at].pid));
  return tree;
}
