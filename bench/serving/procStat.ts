import { readdirSync, readFileSync } from 'node:fs';

/** Linux reports CPU time to programs in hundredths of a second (USER_HZ). */
const MS_PER_TICK = 10;
const PAGE_BYTES = 4096;

export type ProcessStat = {
  readonly pid: number;
  readonly parentPid: number;
  /** User and system time of all threads of the process. */
  readonly cpuMs: number;
  /** The same for its children that have ended and were waited for. */
  readonly endedChildrenMs: number;
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
    endedChildrenMs: (field(16) + field(17)) * MS_PER_TICK,
    rssBytes: field(24) * PAGE_BYTES,
  };
}

/**
 * CPU time of the whole machine in ms from /proc/stat: user, nice, system and steal. Interrupts are excluded: those of loopback traffic
 * belong to no process.
 */
export function parseMachineBusyMs(text: string): number {
  const [, user = 0, nice = 0, system = 0, , , , , steal = 0] = (text.split('\n', 1)[0] ?? '').split(/\s+/).map(Number);
  return (user + nice + system + steal) * MS_PER_TICK;
}

export const machineBusyMs = (): number => parseMachineBusyMs(readFileSync('/proc/stat', 'utf8'));

const readProcess = (pid: number): ProcessStat | undefined => readStat(`/proc/${pid}/stat`);

function readStat(file: string): ProcessStat | undefined {
  try {
    return parseProcessStat(readFileSync(file, 'utf8'));
  } catch {
    // The process has ended.
    return undefined;
  }
}

export type ProcessMemory = { readonly privateBytes: number; readonly sharedBytes: number };

/** /proc/PID/smaps_rollup (proc(5)): private resident pages, and those shared with other processes. */
export function parseProcessMemory(text: string): ProcessMemory {
  const bytes = (name: string): number => 1024 * Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(text)?.[1]);
  return {
    privateBytes: bytes('Private_Clean') + bytes('Private_Dirty'),
    sharedBytes: bytes('Shared_Clean') + bytes('Shared_Dirty'),
  };
}

/**
 * Memory of several processes: the private pages of each, and their shared pages once, which are the code of Node.js and of libraries. PSS
 * would divide the latter among all Node.js processes, including those of the bench and of other servers.
 */
export function jointBytes(processes: readonly ProcessMemory[]): number {
  const own = processes.reduce((sum, { privateBytes }) => sum + privateBytes, 0);
  return own + Math.max(0, ...processes.map(({ sharedBytes }) => sharedBytes));
}

export const readTreeMemory = (root: number): ProcessMemory[] =>
  readTree(root).map(({ pid }) => parseProcessMemory(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')));

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
