import { expect } from 'chai';
import { type OpenRow, UnwrittenForecasts } from '../../../../src/service/markets/UnwrittenForecasts.ts';

const KEY = { accountId: 'a', id: 'm' };

describe('forecasts of a watched market that are not written yet', () => {
  it('are told once they are written, also after a failure, and those that were dropped never', () => {
    const unwritten = new UnwrittenForecasts(() => {});
    const told: number[] = [];
    const make = (): void => {
      const { n, change } = unwritten.next();
      unwritten.add({ forecast: { n, change, outcome: null }, pending: null } as unknown as OpenRow);
      unwritten.tell(n, () => told.push(n));
    };
    make();
    unwritten.take(KEY).failed();
    expect(told).to.deep.equal([]);
    for (let i = 1; i < 2500; i++) make();
    unwritten.take(KEY).failed();
    const last = unwritten.take(KEY);
    last.written();
    // 2,000 wait at most: the store has exactly those that were told.
    expect(told).to.deep.equal(last.forecasts.map(({ forecast }) => forecast.n));
    expect([told.length, told[0], unwritten.size]).to.deep.equal([2000, 500, 0]);
  });
});
