import { expect } from 'chai';
import fc from 'fast-check';
import { seededRandom } from '../../../../src/core/Random.ts';
import { wilsonInterval } from '../../../../src/engine/scoring/wilsonInterval.ts';
import { chooseThreshold, cutOfShare, Z_90 } from '../../../../training/metrics/decision.ts';

/** All rows are of one part, and expected at their common rate. */
const oneMarket = (y: Uint8Array) => ({
  expected: new Float64Array(y.length).fill(y.reduce((sum, label) => sum + label, 0) / y.length),
  part: new Uint8Array(y.length),
  least: 0,
});

describe('chooseThreshold', () => {
  it('equals a search over all probabilities as thresholds', () => {
    const row = fc.record({
      p: fc.constantFrom(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7),
      y: fc.constantFrom(0, 0, 0, 1),
      usual: fc.constantFrom(0.1, 0.25, 0.4),
      part: fc.constantFrom(0, 1, 2),
    });
    const total = <T>(list: readonly T[], of: (item: T) => number): number => list.reduce((sum, item) => sum + of(item), 0);
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 400, size: 'max' }), fc.constantFrom(0, 0.15, 0.3), (rows, least) => {
        const usual = (list: typeof rows): number => total(list, (r) => r.usual);
        const want = [...new Set(rows.map((r) => r.p))]
          .sort((a, b) => a - b)
          .find((threshold) => {
            const marked = rows.filter((r) => r.p >= threshold);
            const hits = total(marked, ({ y }) => y);
            const parts = [0, 1, 2].map((part) => marked.filter((r) => r.part === part));
            const large = [marked, ...parts.filter((list) => list.length >= 50)];
            return (
              threshold >= least &&
              marked.length >= 20 &&
              large.every((list) => total(list, ({ y }) => y) >= 1.5 * usual(list) - 1e-9) &&
              wilsonInterval(hits, marked.length, Z_90)[0] > (1.25 * usual(marked)) / marked.length
            );
          });
        const p = Float64Array.from(rows, (r) => r.p);
        const y = Uint8Array.from(rows, (r) => r.y);
        const markets = { expected: Float64Array.from(rows, (r) => r.usual), part: Uint8Array.from(rows, (r) => r.part) };
        expect(chooseThreshold(p, y, { least, ...markets })).to.equal(want ?? null);
      }),
      { numRuns: 200 },
    );
  });

  it('finds a threshold that reaches its precision on new rows if the model has skill', () => {
    const random = seededRandom(6);
    const draw = () => {
      const p = Float64Array.from({ length: 6000 }, () => 0.02 + 0.5 * random.uniform() ** 2);
      return { p, y: Uint8Array.from(p, (value) => (random.uniform() < value ? 1 : 0)) };
    };
    const validation = draw();
    const found = chooseThreshold(validation.p, validation.y, oneMarket(validation.y))!;
    const precisionOf = ({ p, y }: typeof validation): number => {
      const marked = [...p.keys()].filter((i) => p[i] >= found);
      return marked.filter((i) => y[i] === 1).length / marked.length;
    };
    const baseRate = oneMarket(validation.y).expected[0];
    expect(precisionOf(validation) / baseRate).to.be.within(1.5, 1.6);
    expect(precisionOf(draw()) / baseRate).to.be.greaterThan(1.35);
  });

  it('is null if the model has no skill, nothing is positive, or there are no rows', () => {
    const random = seededRandom(12);
    const p = Float64Array.from({ length: 3000 }, () => random.uniform());
    const y = Uint8Array.from(p, () => (random.uniform() < 0.2 ? 1 : 0));
    expect(chooseThreshold(p, y, oneMarket(y))).to.equal(null);
    expect(chooseThreshold(p, new Uint8Array(3000), oneMarket(y))).to.equal(null);
    expect(chooseThreshold(new Float64Array(0), new Uint8Array(0), oneMarket(new Uint8Array(0)))).to.equal(null);
  });

  it('requires more than a few marks', () => {
    const p = Float64Array.from({ length: 1000 }, (_, i) => i / 1000);
    const found = [10, 20].map((hits) => {
      const y = Uint8Array.from(p, (_, i) => (i >= 1000 - hits ? 1 : 0));
      return chooseThreshold(p, y, { ...oneMarket(y), expected: new Float64Array(1000).fill(0.6) });
    });
    expect([found[0], typeof found[1]]).to.deep.equal([null, 'number']);
  });

  it('rejects unequal lengths', () => {
    const one = oneMarket(Uint8Array.of(1));
    expect(() => chooseThreshold(Float64Array.of(0.5), Uint8Array.of(1, 0), one)).to.throw(RangeError);
    expect(() => chooseThreshold(Float64Array.of(0.5, 0.5), Uint8Array.of(1, 0), one)).to.throw(RangeError);
  });
});

describe('cutOfShare', () => {
  it('is the smallest thousandth that marks at most a fifth of each series with a hundred windows', () => {
    const series = fc.record({
      count: fc.constantFrom(1, 99, 100, 137),
      from: fc.constantFrom(0, 0.2, 0.7),
      step: fc.constantFrom(0, 0.001, 0.0007),
    });
    fc.assert(
      fc.property(fc.array(series, { maxLength: 5 }), (all) => {
        const windows = all.flatMap(({ count, from, step }, of) => Array.from({ length: count }, (_, at) => ({ of, p: from + at * step })));
        const cut = cutOfShare(
          windows.map(({ p }) => p),
          windows.map(({ of }) => of),
        );
        const holds = (least: number): boolean =>
          all.every(({ count }, at) => count < 100 || windows.filter(({ of, p }) => of === at && p >= least).length <= count / 5);
        expect(holds(cut)).to.equal(true);
        expect(cut === 0 || !holds(Math.round(1000 * cut - 1) / 1000)).to.equal(true);
      }),
    );
  });
});
