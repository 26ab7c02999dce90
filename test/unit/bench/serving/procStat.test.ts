import { expect } from 'chai';
import { parseProcessStat, treeOf } from '../../../../bench/serving/procStat.ts';

const LINE =
  '4242 (odd) name) S 17 4242 4242 0 -1 4194560 9876 543 2 0 1500 250 40 7 20 0 11 0 39311 1180000000 25600 18446744073709551615 1 1 0 0 0 0 0 4096 17698 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n';
describe('/proc/PID/stat', () => {
  it('is parsed with brackets and blanks in the name', () => {
    const stat = parseProcessStat(LINE);
    expect(stat).to.deep.equal({ pid: 4242, parentPid: 17, cpuMs: 17_500, rssBytes: 25_600 * 4096 });
  });

  it('gives a process tree without other processes', () => {
    const stat = parseProcessStat(LINE);
    const at = (pid: number, parentPid: number): typeof stat => ({ ...stat, pid, parentPid });
    const all = [at(1, 0), at(5, 1), at(9, 7), at(7, 5), at(8, 1), at(6, 5)];
    expect(treeOf(5, all).map(({ pid }) => pid)).to.deep.equal([5, 7, 6, 9]);
    expect(treeOf(4, all)).to.deep.equal([]);
  });
});
