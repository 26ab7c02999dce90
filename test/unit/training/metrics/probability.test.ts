import { expect } from 'chai';
import fc from 'fast-check';
import { seededRandom } from '../../../../src/core/Random.ts';
import { brier, ece, expectedEce, logLoss, precisionAtCoverage } from '../../../../training/metrics/probability.ts';

const row = fc.record({
  p: fc.oneof(fc.constantFrom(0, 0.1, 0.25, 1), fc.double({ noNaN: true, min: 0, max: 1 })),
  y: fc.constantFrom(0, 1),
});
const columns = (rows: readonly { p: number; y: number }[]) => ({
  p: Float64Array.from(rows, (r) => r.p),
  y: Uint8Array.from(rows, (r) => r.y),
});
const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

/** Each probability belongs to the bin in which its ties end: bin edges are ranks, moved up to the end of a tie. */
function naiveEce(rows: readonly { p: number; y: number }[], bins: number): number {
  const n = rows.length;
  const edges = Array.from({ length: bins }, (_, b) => Math.floor(((b + 1) * n) / bins));
  const sorted = rows.map((r) => r.p).sort((a, b) => a - b);
  // A row is in the first bin whose edge, as a value, is at or above its probability.
  const binOf = (p: number): number => edges.findIndex((edge) => edge > 0 && sorted[edge - 1] >= p);
  let sum = 0;
  for (let b = 0; b < bins; b++) {
    const bin = rows.filter((r) => binOf(r.p) === b);
    if (bin.length > 0) sum += bin.length * Math.abs(mean(bin.map((r) => r.p)) - mean(bin.map((r) => r.y)));
  }
  return sum / n;
}

describe('probability metrics', () => {
  it('score a hand-computed case', () => {
    const [p, y] = [Float64Array.of(0.9, 0.2), Uint8Array.of(1, 0)];
    expect(brier(p, y)).to.be.closeTo((0.01 + 0.04) / 2, 1e-15);
    expect(logLoss(p, y)).to.be.closeTo(-(Math.log(0.9) + Math.log(0.8)) / 2, 1e-15);
  });

  it('stay finite for a row with a wrong probability of 1', () => {
    expect(logLoss(Float64Array.of(0, 1), Uint8Array.of(1, 0))).to.be.within(20, 40);
  });

  it('reject unequal lengths', () => {
    for (const score of [brier, logLoss, ece]) expect(() => score(Float64Array.of(0.5), Uint8Array.of(1, 0))).to.throw(RangeError);
    expect(() => precisionAtCoverage(Float64Array.of(0.5), Uint8Array.of(1, 0), 0.1)).to.throw(RangeError);
  });

  describe('ece', () => {
    it('equals an iteration over the bins and does not depend on the order of rows', () => {
      fc.assert(
        fc.property(fc.array(row, { minLength: 1, maxLength: 80 }), fc.integer({ min: 1, max: 20 }), (rows, bins) => {
          const { p, y } = columns(rows);
          expect(ece(p, y, bins)).to.be.closeTo(naiveEce(rows, bins), 1e-12);
          const turned = columns([...rows].reverse());
          expect(ece(turned.p, turned.y, bins)).to.be.closeTo(ece(p, y, bins), 1e-12);
        }),
        { numRuns: 150 },
      );
    });

    it('of a perfect model equals its expectation: 0.05 at 600 rows, 0.02 at 3000, and a bias increases it', () => {
      const random = seededRandom(2);
      for (const [n, want] of [
        [600, 0.05],
        [3000, 0.022],
      ] as const) {
        // prettier-ignore
        const p = Float64Array.from({ length: n }, () => 0.05 + 0.35 * random.uniform());
        const expected = expectedEce(p, random, 100);
        expect(expected).to.be.closeTo(want, 0.006);
        const y = Uint8Array.from(p, (value) => (random.uniform() < value ? 1 : 0));
        expect(ece(p, y)).to.be.closeTo(expected, 0.02);
        expect(ece(p.map((value) => value + 0.15), y)).to.be.greaterThan(expected + 0.06); // prettier-ignore
      }
    });
  });

  describe('precisionAtCoverage', () => {
    it('is the mean over all orders of tied rows', () => {
      const p = Float64Array.of(0.9, 0.5, 0.5, 0.5, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1);
      const y = Uint8Array.of(1, 1, 0, 0, 0, 0, 0, 0, 0, 1);
      expect(precisionAtCoverage(p, y, 0.1)).to.equal(1);
      expect(precisionAtCoverage(p, y, 0.2)).to.be.closeTo((1 + 1 / 3) / 2, 1e-15);
      expect(precisionAtCoverage(p, y, 0.4)).to.be.closeTo(2 / 4, 1e-15);
      expect(precisionAtCoverage(p, y, 1)).to.be.closeTo(0.3, 1e-15);
    });

    it('uses at least one row, and is NaN without rows', () => {
      expect(precisionAtCoverage(Float64Array.of(0.1, 0.2), Uint8Array.of(0, 1), 0.01)).to.equal(1);
      expect(precisionAtCoverage(new Float64Array(0), new Uint8Array(0), 0.1)).to.be.NaN;
    });
  });
});
