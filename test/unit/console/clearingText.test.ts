import { expect } from 'chai';
import { clearingText } from '../../../src/console/replay/leadTable.ts';

const rows = [
  { horizonMs: 10_000, medianMoveBps: 1 },
  { horizonMs: 60_000, medianMoveBps: 3 },
  { horizonMs: 300_000, medianMoveBps: null },
];
const quotes = { bids: Float64Array.of(99.99, 99.99, 99), asks: Float64Array.of(100.01, 100.01, 101) };

describe('which horizons clear the cost', () => {
  it('compares with the cost of the user, else with the spread of the quotes, else asks for a cost', () => {
    expect(clearingText(rows, null, { quotes })).to.equal('The median move is larger than the spread of 2 bps at 1 min.');
    expect(clearingText(rows, 0.5, { quotes })).to.equal('The median move is larger than your cost of 0.5 bps at 10 s, 1 min.');
    expect(clearingText(rows, 4)).to.equal('Nothing clears your cost of 4 bps: at none of these horizons is the median move larger.');
    expect(clearingText(rows, null, {})).to.equal('Name your cost as the threshold to see which horizons clear it.');
  });
});
