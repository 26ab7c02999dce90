import { expect } from 'chai';
import { labelOutcome } from '../../../src/console/ticks/labelOutcome.ts';

const seriesOf = (rows: readonly (readonly [ms: number, price: number])[]) => ({
  timesUs: Float64Array.from(rows, ([ms]) => ms * 1000),
  prices: Float64Array.from(rows, ([, price]) => price),
});

describe('the outcome of a window', () => {
  it('enters at the first price a second later, not at the last tick sent', () => {
    const series = seriesOf([
      [0, 100],
      [999, 101],
      [1000, 102],
      [5000, 103],
      [5001, 200],
    ]);
    expect(labelOutcome(series, 0, 5000, null)).to.deep.include({ status: 'known', entry: 2, exit: 3, moveBps: Math.log(103 / 102) * 1e4 });
  });
});
