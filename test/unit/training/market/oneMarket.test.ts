import { expect } from 'chai';
import type { TickSource } from '../../../../training/data/TickSource.ts';
import { lastWeeks, oneMarket, refuseSeveralMarkets } from '../../../../training/market/oneMarket.ts';

const WEEK_US = 604_800e6;

function sourceOf(name: string, fromWeek: number, toWeek: number, first = 100, last = 100): TickSource {
  const close = Float64Array.of(first, last);
  return {
    name,
    firstUs: fromWeek * WEEK_US,
    lastUs: toWeek * WEEK_US,
    file: { name: `${name}.csv`, sha256: name, rows: 2 },
    bars: { barS: 60, index: Int32Array.of(0, 1), close },
  } as unknown as TickSource;
}

describe('the files of a market', () => {
  it('are one group', () => {
    expect(oneMarket(['a/eurusd-01.csv.gz', 'a/eurusd-02.csv'])).to.deep.equal({ 'eurusd-01': ['eurusd-01', 'eurusd-02'] });
  });

  it('follow each other in time and price, in any order', () => {
    expect(() => refuseSeveralMarkets([sourceOf('b', 4, 8, 101), sourceOf('a', 0, 4)])).to.not.throw();
    expect(() => refuseSeveralMarkets([sourceOf('eur', 0, 4), sourceOf('jpy', 3, 8)])).to.throw(
      'eur.csv and jpy.csv overlap in time: --market',
    );
    expect(() => refuseSeveralMarkets([sourceOf('eur', 0, 4, 1.1, 1.1), sourceOf('jpy', 4, 8, 150)])).to.throw(
      'eur.csv and jpy.csv differ in price by a factor of 136',
    );
  });

  it('are evaluated on the last quarter of their weeks, at most four', () => {
    expect(lastWeeks([sourceOf('a', 0, 8)], -Infinity, Infinity) / WEEK_US).to.equal(6);
    expect(lastWeeks([sourceOf('a', 0, 15), sourceOf('b', 15, 30)], -Infinity, Infinity) / WEEK_US).to.equal(26);
    expect(lastWeeks([sourceOf('a', 0, 30)], 10 * WEEK_US, 18 * WEEK_US) / WEEK_US).to.equal(16);
  });
});
