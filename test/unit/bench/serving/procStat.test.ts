import { expect } from 'chai';
import { jointBytes, parseMachineBusyMs, parseProcessMemory, parseProcessStat, treeOf } from '../../../../bench/serving/procStat.ts';

const LINE =
  '4242 (odd) name) S 17 4242 4242 0 -1 4194560 9876 543 2 0 1500 250 40 7 20 0 11 0 39311 1180000000 25600 18446744073709551615 1 1 0 0 0 0 0 4096 17698 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n';
const MACHINE = `cpu  1000 20 300 99999 50 7 80 9 600 0
cpu0 500 10 150 49999 25 3 40 4 300 0
intr 12345
`;

describe('/proc/PID/stat', () => {
  it('is parsed with brackets and blanks in the name', () => {
    const stat = parseProcessStat(LINE);
    expect(stat).to.deep.equal({ pid: 4242, parentPid: 17, cpuMs: 17_500, endedChildrenMs: 470, rssBytes: 25_600 * 4096 });
  });

  it('gives a process tree without other processes', () => {
    const stat = parseProcessStat(LINE);
    const at = (pid: number, parentPid: number): typeof stat => ({ ...stat, pid, parentPid });
    const all = [at(1, 0), at(5, 1), at(9, 7), at(7, 5), at(8, 1), at(6, 5)];
    expect(treeOf(5, all).map(({ pid }) => pid)).to.deep.equal([5, 7, 6, 9]);
    expect(treeOf(4, all)).to.deep.equal([]);
  });
});

describe('/proc/PID/smaps_rollup', () => {
  it('is split into private and shared resident pages', () => {
    const text = `55e0-7ffe ---p 00000000 00:00 0    [rollup]
Rss:              100 kB
Pss:               70 kB
Shared_Clean:      50 kB
Shared_Dirty:       1 kB
Private_Clean:      9 kB
Private_Dirty:     40 kB
Private_Hugetlb:    7 kB
`;
    expect(parseProcessMemory(text)).to.deep.equal({ privateBytes: 49 * 1024, sharedBytes: 51 * 1024 });
  });

  it('of several processes counts shared pages once', () => {
    const processes = [
      { privateBytes: 5, sharedBytes: 30 },
      { privateBytes: 7, sharedBytes: 40 },
    ];
    expect(jointBytes(processes)).to.equal(52);
    expect(jointBytes([])).to.equal(0);
  });
});

describe('/proc/stat', () => {
  it('is user, nice, system and steal time; guest time is part of user time, interrupts do not count', () => {
    expect(parseMachineBusyMs(MACHINE)).to.equal(13_290);
  });
});
