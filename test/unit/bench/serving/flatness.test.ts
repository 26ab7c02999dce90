import { expect } from 'chai';
import { flatness, type Sample } from '../../../../bench/serving/flatness.ts';
import { seededRandom } from '../../../../src/core/Random.ts';

const MINUTES = 30;
const series = (valueAt: (second: number) => number): Sample[] =>
  Array.from({ length: MINUTES * 60 }, (_, second) => ({ atS: second, value: valueAt(second) }));
const options = { boundPerHour: 2, foundPerHour: 100 };

describe('flatness', () => {
  for (const seed of [1, 2, 3, 4, 5])
    it(`accepts noise around a constant level (seed ${seed})`, () => {
      const random = seededRandom(seed);
      expect(
        flatness(
          series(() => 300 + 3 * random.normal()),
          options,
        ).result,
      ).to.equal('flat');
    });

  it('finds a planted rise in the same noise, and its size', () => {
    const random = seededRandom(1);
    const found = flatness(
      series((second) => 300 + (12 * second) / 3600 + 3 * random.normal()),
      options,
    );
    expect(found.result).to.equal('rises');
    expect(found.perHour).to.be.closeTo(12, 3);
    expect(found.low).to.be.below(found.perHour).and.above(2);
    expect(found.high).to.be.above(found.perHour);
  });

  for (const [periodS, depth] of [
    [20, 30],
    [47, 80],
    [150, 20],
  ] as const)
    it(`accepts a heap that grows for ${periodS} s and is then collected`, () => {
      const random = seededRandom(7);
      const sawtooth = series((second) => 200 + (depth * (second % periodS)) / periodS + random.normal());
      expect(flatness(sawtooth, options).result).to.equal('flat');
    });

  it('finds a rise in such a heap', () => {
    const random = seededRandom(7);
    const leaking = series((second) => 200 + (30 * (second % 20)) / 20 + (30 * second) / 3600 + random.normal());
    expect(flatness(leaking, options).result).to.equal('rises');
  });

  it('accepts a growth that ends in the warm-up', () => {
    expect(
      flatness(
        series((second) => 300 - 100 * Math.exp(-second / 60)),
        options,
      ).result,
    ).to.equal('flat');
  });

  it('finds one more tensor every minute, and accepts a constant count', () => {
    expect(
      flatness(
        series((second) => 14 + Math.floor(second / 60)),
        { boundPerHour: 0, foundPerHour: 1 },
      ).result,
    ).to.equal('rises');
    expect(
      flatness(
        series(() => 14),
        { boundPerHour: 0, foundPerHour: 1 },
      ),
    ).to.deep.equal({ perHour: 0, low: 0, high: 0, result: 'flat' });
  });

  it('does not accept a series with so much noise that it could hide the leak', () => {
    const random = seededRandom(3);
    expect(
      flatness(
        series(() => 300 + 300 * random.normal()),
        options,
      ).result,
    ).to.equal('unclear');
  });

  it('rejects too few samples', () => {
    expect(() => flatness(series(() => 1).slice(0, 5), options)).to.throw(RangeError);
  });
});
