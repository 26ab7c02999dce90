import { expect } from 'chai';
import { availableProcessors } from '../../../src/core/availableProcessors.ts';

const V2 = '0::/\n';
const V1 = '3:cpuset:/docker/1\n2:cpu,cpuacct:/docker/1\n1:name=systemd:/docker/1\n0::/system.slice\n';
const ROOT = '/sys/fs/cgroup';

/** Files of control groups on a machine with 16 processors. */
const ROWS: readonly [title: string, groups: string | undefined, files: Readonly<Record<string, string>>, processors: number][] = [
  ['without control groups', undefined, {}, 16],
  ['without a quota, version 2', V2, { '/cpu.max': 'max 100000\n' }, 16],
  ['without a quota, version 1', V1, { '/cpu/cpu.cfs_quota_us': '-1\n', '/cpu/cpu.cfs_period_us': '100000\n' }, 16],
  ['docker --cpus 2, version 2', V2, { '/cpu.max': '200000 100000\n' }, 2],
  ['docker --cpus 2, version 1, where the path is that of the host', V1, { '/cpu,cpuacct/cpu.cfs_quota_us': '200000\n', '/cpu,cpuacct/cpu.cfs_period_us': '100000\n' }, 2],
  ['version 1 under its own name', '1:cpu:/a\n', { '/cpu/a/cpu.cfs_quota_us': '300000\n', '/cpu/a/cpu.cfs_period_us': '100000\n' }, 3],
  ['CPUQuota=250% of a unit of systemd', '0::/system.slice/tickmark.service\n', { '/system.slice/tickmark.service/cpu.max': '250000 100000\n' }, 2],
  ['a quota of the group around it', '0::/a/b\n', { '/a/cpu.max': '400000 100000\n', '/a/b/cpu.max': 'max 100000\n' }, 4],
  ['the smaller of two quotas', '0::/a/b\n', { '/a/cpu.max': '400000 100000\n', '/a/b/cpu.max': '100000 50000\n' }, 2],
  ['a quota of half a processor', V2, { '/cpu.max': '50000 100000\n' }, 1],
  ['a quota above the machine', V2, { '/cpu.max': '9900000 100000\n' }, 16],
  ['version 2 next to version 1', '1:memory:/\n0::/a\n', { '/unified/a/cpu.max': '200000 100000\n' }, 2],
  ['a path outside of the namespace', '0::/../../a\n', { '/cpu.max': '300000 100000\n' }, 3],
  ['a group whose name has a colon', '0::/a:b\n', { '/a:b/cpu.max': '300000 100000\n' }, 3],
  ['files that are empty or no numbers', V2, { '/cpu.max': '\n', '/cpu/cpu.cfs_quota_us': 'x' }, 16],
]; // prettier-ignore

describe('availableProcessors', () => {
  for (const [title, groups, files, processors] of ROWS)
    it(`counts ${processors} of 16: ${title}`, () => {
      const read = (file: string): string | undefined => (file === '/proc/self/cgroup' ? groups : files[file.slice(ROOT.length)]);
      expect(availableProcessors(16, read)).to.equal(processors);
    });

  it('counts those of this machine', () => expect(availableProcessors()).to.be.within(1, 1024));
});
