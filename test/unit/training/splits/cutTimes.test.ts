import { expect } from 'chai';
import { syntheticTicks } from '../../../../src/ticks/syntheticTicks.ts';
import { sourceOfSeries } from '../../../../training/data/readSources.ts';
import { cutTimes, splitValidation } from '../../../../training/splits/splitValidation.ts';
import { randomRows } from '../../../support/randomRows.ts';

describe('cutTimes', () => {
  const source = (name: string, group: string, seed: number) => ({
    ...sourceOfSeries(name, syntheticTicks({ seed, count: 20_000, medianGapMs: 20_000 }), name),
    group,
  });

  it('leaves the given fraction of the ticks of a series after its cut', () => {
    const one = source('one', 'one', 1);
    const { series } = [...one.segments()][0];
    const [cut] = cutTimes([one]) as [number];
    const after = series.timesUs.filter((us) => us >= cut).length;
    expect(after / series.timesUs.length).to.be.closeTo(0.3, 0.02);
  });

  it('cuts series of one group at the same time, and others separately', () => {
    const [a, b, c] = cutTimes([source('a', 'pair', 1), source('b', 'pair', 2), source('c', 'alone', 3)]);
    expect(a).to.equal(b);
    expect(c).to.not.equal(a);
  });
});

describe('splitValidation', () => {
  it('uses the last rows of each group, and drops rows whose label overlaps them', () => {
    const rows = randomRows({ count: 3000 });
    const index = Int32Array.from({ length: 3000 }, (_, row) => row);
    const { training, validation } = splitValidation(rows, index, (instrument) => (instrument === 2 ? 'c' : 'ab'));
    for (const group of [[0, 1], [2]]) {
      const of = (list: Int32Array): number[] => [...list].filter((row) => group.includes(rows.instrument[row]));
      const lastLabelS = Math.max(...of(training)) + 10;
      const firstS = Math.min(...of(validation));
      expect(firstS - lastLabelS).to.be.within(50, 70);
      expect(of(validation).length / (3000 * (group.length / 3))).to.be.closeTo(0.15, 0.01);
    }
  });

  it('keeps rows on both sides for a span of minutes', () => {
    const rows = randomRows({ count: 360 });
    const { training, validation } = splitValidation(
      rows,
      Int32Array.from({ length: 360 }, (_, row) => row),
      () => 'crypto',
    );
    expect(training.length).to.be.above(250);
    expect(validation.length).to.be.above(40);
  });
});
