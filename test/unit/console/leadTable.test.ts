import { expect } from 'chai';
import { leadCells, leadRow, leadText } from '../../../src/console/replay/leadTable.ts';

const window = (i: number, isMarked: boolean, moveBps: number | null, isSeen = false) => ({
  ...{ isMarked, moveBps, minMoveBps: 2 + (i % 3) / 10, isSeen },
  baselineProbability: i / 100,
});
/** 40 windows: every fourth moves, the first 12 are marked, of which 9 moved. */
const WINDOWS = Array.from({ length: 40 }, (_, i) => window(i, i < 12, (i < 12 ? i < 9 : i % 4 === 0) ? -5 : 1));

describe('the table of marks', () => {
  it('has marks, hit rate with interval, base rate, and as many windows by EWMA', () => {
    const row = leadRow(60_000, 'your cost', [...WINDOWS, window(0, true, null)]);
    expect(leadCells(row)).to.deep.equal(['1 min', '2.1 bps, your cost', '12 of 40', '75 % (51 % to 90 %)', '40 %', '25 %']);
    expect(leadText([row])).to.equal('Marks came true more often than an average window moved at 1 min (your cost).');
  });

  it('says in sample, and that nothing is clearly better', () => {
    const seen = leadRow(10_000, 'median', [window(0, true, 1, true), window(1, false, 5, true)]);
    expect(leadCells(seen)[0]).to.equal('10 s, in sample');
    expect(leadText([seen])).to.equal('In no row did marks come true clearly more often than an average window moved.');
    expect(leadCells(leadRow(10_000, 'median', []))).to.deep.equal(['10 s', 'median', '0 of 0', '–', '–', '–']);
  });
});
