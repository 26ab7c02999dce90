import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import * as path from 'node:path';

/** The text of a file; undefined if there is none. */
type ReadText = (file: string) => string | undefined;

const ROOT = '/sys/fs/cgroup';

const readText: ReadText = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};

/** Processors of the quota of one folder of control groups, version 2 or 1; Infinity without one. */
function quotaOf(folder: string, read: ReadText): number {
  const [quota = '', period = ''] =
    read(`${folder}/cpu.max`)?.split(' ') ?? ['quota', 'period'].map((name) => read(`${folder}/cpu.cfs_${name}_us`) ?? '');
  return Number(quota) > 0 && Number(period) > 0 ? Number(quota) / Number(period) : Infinity;
}

/**
 * The smallest CPU quota of the control groups of this process and of those around it, in processors. A container may see its own group as the root, under a path
 * that only the host knows.
 */
function cgroupQuota(read: ReadText): number {
  const quotas = (read('/proc/self/cgroup') ?? '').split('\n').flatMap((line) => {
    const [, controllers = '', ...rest] = line.split(':');
    if (rest.length === 0 || (controllers !== '' && !controllers.split(',').includes('cpu'))) return [];
    const roots = controllers === '' ? [ROOT, `${ROOT}/unified`] : [`${ROOT}/${controllers}`, `${ROOT}/cpu`];
    const folders: string[] = [];
    for (let at = path.posix.resolve('/', rest.join(':')); at !== '/'; at = path.posix.dirname(at)) folders.push(at);
    return roots.flatMap((root) => ['', ...folders].map((folder) => quotaOf(root + folder, read)));
  });
  return Math.min(Infinity, ...quotas);
}

/**
 * Processors that this process may use at the same time: those of its affinity, or the whole ones of its CPU quota (a container with --cpus) if these are fewer.
 * `os.availableParallelism` of Node.js 20 counts no quota, and that of 24 none of version 1 (20.20 and 24.21, measured).
 */
export function availableProcessors(parallelism = availableParallelism(), read = readText): number {
  return Math.max(1, Math.min(parallelism, Math.floor(cgroupQuota(read))));
}
