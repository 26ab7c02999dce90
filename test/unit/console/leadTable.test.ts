import { expect } from 'chai';
import { leadCells, leadRow, leadText } from '../../../src/console/replay/leadTable.ts';

const window = (i: number, isMarked: boolean, moveBps: number | null, isSeen = false) => ({
  ...{ isMarked, moveBps, minMoveBps: 2 + (i % 3) / 10, isSeen },
  baselineProbability: i / 100,
});
const plan = (horizonMs: number) => ({ horizonMs, count: 500 });
/** 40 windows: every fourth moves, the first 12 are marked, of which 9 moved. */
const WINDOWS = Array.from({ length: 40 }, (_, i) => window(i, i < 12, (i < 12 ? i < 9 : i % 4 === 0) ? -5 : 1));

describe('the table of marks', () => {
  it('has marks, hit rate with interval, base rate, and as many windows by EWMA', () => {
    const row = leadRow(plan(60_000), 'your cost', [...WINDOWS, window(0, true, null)]);
    expect(leadCells(row)).to.deep.equal(['1 min', '2.1 bps, your cost', '12 of 40', '75 % (51 % to 90 %)', '40 %', '25 %']);
    expect([row.ticks, row.medianMoveBps]).to.deep.equal([500, 1]);
    // 51 % is above 40 % at 90 %, but not at 99 %: several rows are looked at.
    expect(leadText([row])).to.equal('In no row did marks come true clearly more often than an average window moved.');
    const twice = leadRow(plan(60_000), 'your cost', [...WINDOWS, ...WINDOWS]);
    expect(leadText([row, twice])).to.equal('Marks came true more often than an average window moved at 1 min (your cost).');
  });

  it('leaves out windows that the version was trained on, unless there are no others', () => {
    const seen = leadRow(plan(10_000), 'median', [...WINDOWS.map((one) => ({ ...one, isSeen: true })), window(0, true, 5)]);
    expect([seen.isSeen, seen.windows, seen.hits.of]).to.deep.equal([false, 1, 1]);
  });

  it('says in sample, and that nothing is clearly better', () => {
    const seen = leadRow(plan(10_000), 'median', [window(0, true, 1, true), window(1, false, 5, true)]);
    expect(leadCells(seen)[0]).to.equal('10 s, in sample');
    expect(leadText([seen])).to.equal('In no row did marks come true clearly more often than an average window moved.');
    expect(leadCells(leadRow(plan(10_000), 'median', []))).to.deep.equal(['10 s', 'median', '0 of 0', '–', '–', '–']);
  });
});
