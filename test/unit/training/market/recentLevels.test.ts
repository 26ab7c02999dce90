import { expect } from 'chai';
import { MarketModel } from '../../../../src/engine/model/MarketModel.ts';
import { BarCloses } from '../../../../training/data/BarCloses.ts';
import type { TickSource } from '../../../../training/data/TickSource.ts';
import { recentLevels, refuseWithoutCloses } from '../../../../training/market/recentLevels.ts';
import { marketTicks } from '../../../support/marketTicks.ts';
import { smallManifest } from '../../../support/smallModel.ts';
import { smallMarket } from '../../../support/smallMarket.ts';

const HOUR_US = 3_600e6;

describe('the recent levels of rows', () => {
  const { timesUs, prices } = marketTicks({ seed: 3, weeks: 1, gapS: 20 });
  const half = timesUs.length >> 1;
  const sourceOf = (name: string, from: number, to: number): TickSource => {
    const bars = new BarCloses();
    bars.add(timesUs.slice(from, to), prices.slice(from, to));
    return { name, firstUs: timesUs[from]!, lastUs: timesUs[to - 1]!, file: { name }, bars: bars.end() } as unknown as TickSource;
  };
  const sources = [sourceOf('second', half, timesUs.length), sourceOf('first', 0, half)];

  it('are those of a request with the closes of all earlier minutes, across files', () => {
    const origins = [600, half - 500, half + 100, half + 3000];
    const originUs = Float64Array.from(origins, (at) => timesUs[at]!);
    const firstAt = origins.map((at) => at - 499);
    const windowS = Float32Array.from(origins, (at, row) => (timesUs[at]! - timesUs[firstAt[row]!]!) / 1e6);
    const market = new MarketModel(smallMarket());
    const levelOf = recentLevels(market.file, sources, { originUs, windowS });
    const expected = firstAt.map((first) => {
      const minute = Math.floor(timesUs[first]! / 60e6);
      const isClose = (_: number, at: number): boolean =>
        Math.floor(timesUs[at]! / 60e6) < minute && Math.floor(timesUs[at]! / 60e6) !== Math.floor(timesUs[at + 1]! / 60e6);
      return market.levelOf({ timesUs: timesUs.filter(isClose), prices: prices.filter(isClose) }, timesUs[first]!);
    });
    expect(expected[0]).to.equal(null);
    expect(expected.slice(1)).to.not.include(null);
    expect(origins.map((_, row) => levelOf(row))).to.deep.equal(expected);
  });

  it('are refused for files of two markets', () => {
    const other = { ...sources[0]!, firstUs: timesUs[0]! + HOUR_US, file: { name: 'other' } } as unknown as TickSource;
    expect(() => recentLevels(smallMarket(), [...sources, other], { originUs: timesUs, windowS: new Float32Array(0) })).to.throw(
      'overlap in time: --closes needs the ticks of one market',
    );
  });

  it('are refused for a version that ignores closes', () => {
    const manifest = smallManifest('small');
    const { heads } = smallMarket();
    expect(() => refuseWithoutCloses({ manifest, market: new MarketModel(smallMarket()) })).to.not.throw();
    expect(() => refuseWithoutCloses({ manifest })).to.throw('--closes needs a version that uses closes; small has not learned a market.');
    const without = smallMarket({ heads: heads.map((head) => head && { ...head, recent: null }) });
    expect(() => refuseWithoutCloses({ manifest, market: new MarketModel(without) })).to.throw('small gains nothing from them.');
  });
});
