import { expect } from 'chai';
import { syntheticTicks } from '../../../../src/ticks/syntheticTicks.ts';
import { augment, AUGMENTATIONS } from '../../../../training/data/augment.ts';
import { BASE_SCOPE } from '../../../../training/data/HorizonScope.ts';
import { planTrainRows } from '../../../../training/data/planRows.ts';
import { sourceOfSeries } from '../../../../training/data/readSources.ts';

const series = syntheticTicks({ seed: 5, count: 9000 });
const distinct = (values: Float64Array): number => new Set(values).size;

describe('augmented series', () => {
  it('round prices to a grid: the longer the usual move, the fewer prices', () => {
    const [fine, coarse] = [augment(series, 'grid_5s'), augment(series, 'grid_60s')];
    expect(distinct(series.prices)).to.be.above(distinct(fine.prices));
    expect(distinct(fine.prices)).to.be.above(distinct(coarse.prices));
    expect(distinct(coarse.prices)).to.be.above(1);
    const step = Math.min(
      ...[...new Set(coarse.prices)].sort((a, b) => a - b).flatMap((price, i, all) => (i === 0 ? [] : [price - all[i - 1]])),
    );
    coarse.prices.forEach((price, i) => expect(Math.abs(price - series.prices[i])).to.be.at.most(0.5001 * step));
    expect([...coarse.timesUs]).to.deep.equal([...series.timesUs]);
  });

  it('have timestamps of whole seconds, never later than the real ones', () => {
    const { timesUs, prices } = augment(series, 'whole_seconds');
    timesUs.forEach((us, i) => {
      expect(us % 1_000_000).to.equal(0);
      expect(series.timesUs[i] - us).to.be.within(0, 999_999);
    });
    expect([...prices]).to.deep.equal([...series.prices]);
  });

  it('keep one tick in four', () => {
    const { timesUs, prices } = augment(series, 'every_fourth');
    expect(prices).to.have.lengthOf(Math.ceil(series.prices.length / 4));
    expect([timesUs[10], prices[10]]).to.deep.equal([series.timesUs[40], series.prices[40]]);
  });

  it('stay as they are if the price is constant', () => {
    const constant = { timesUs: series.timesUs, prices: new Float64Array(series.prices.length).fill(3) };
    expect(augment(constant, 'grid_60s')).to.equal(constant);
  });

  it('give at most a tenth of the limit of a bucket each, on top of the windows from real ticks', () => {
    const blocks = planTrainRows([sourceOfSeries('made', series, 'made.csv')], { scope: BASE_SCOPE, seed: 1, maxPerBucket: 40 }).blocks;
    const rowsOf = (augmentation: string): number =>
      blocks.filter((block) => block.augmentation === augmentation).reduce((sum, { windows }) => sum + windows.length, 0);
    for (const augmentation of AUGMENTATIONS) expect(rowsOf(augmentation), augmentation).to.be.within(1, 4 * BASE_SCOPE.heads.length);
  });
});
