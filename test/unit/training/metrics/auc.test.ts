import { expect } from 'chai';
import fc from 'fast-check';
import { seededRandom } from '../../../../src/core/Random.ts';
import { auc, aucStandardError, preparedAuc } from '../../../../training/metrics/auc.ts';

/** Counts every pair. */
function pairAuc(scores: readonly number[], labels: readonly number[], weights: readonly number[]): number {
  let [wins, pairs] = [0, 0];
  for (let i = 0; i < scores.length; i++) {
    for (let j = 0; j < scores.length; j++) {
      if (labels[i] !== 1 || labels[j] !== 0) continue;
      const weight = weights[i] * weights[j];
      pairs += weight;
      wins += weight * (scores[i] > scores[j] ? 1 : scores[i] === scores[j] ? 0.5 : 0);
    }
  }
  return wins / pairs;
}

const row = fc.record({
  score: fc.oneof(fc.constantFrom(0, 1, 2, -Infinity, Infinity), fc.double({ noNaN: true, min: -5, max: 5 })),
  label: fc.constantFrom(0, 1),
  weight: fc.constantFrom(0, 1, 2, 3),
});

describe('auc', () => {
  it('equals the count of pairs, with ties and with weights', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 40 }), (rows) => {
        const [scores, labels, weights] = [rows.map((r) => r.score), rows.map((r) => r.label), rows.map((r) => r.weight)];
        const prepared = preparedAuc(Float64Array.from(scores), Uint8Array.from(labels));
        for (const [got, w] of [
          [auc(Float64Array.from(scores), Uint8Array.from(labels)), rows.map(() => 1)],
          [prepared(Float64Array.from(weights)), weights],
        ] as const) {
          const want = pairAuc(scores, labels, w);
          if (Number.isNaN(want)) expect(got).to.be.NaN;
          else expect(got).to.be.closeTo(want, 1e-12);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('is NaN with one class or a NaN score, and rejects unequal lengths', () => {
    expect(auc(Float64Array.of(1, 2), Uint8Array.of(1, 1))).to.be.NaN;
    expect(auc(Float64Array.of(), Uint8Array.of())).to.be.NaN;
    expect(auc(Float64Array.of(1, NaN, 3), Uint8Array.of(1, 0, 1))).to.be.NaN;
    expect(() => auc(Float64Array.of(1), Uint8Array.of(1, 0))).to.throw(RangeError);
    expect(() => preparedAuc(Float64Array.of(1, 2), Uint8Array.of(1, 0))(Float64Array.of(1))).to.throw(RangeError);
  });

  it('is within 3 standard errors of 0.5 for permuted labels, with the spread of its standard error', () => {
    const random = seededRandom(5);
    const n = 600;
    const scores = Float64Array.from({ length: n }, () => random.normal());
    const labels = Uint8Array.from({ length: n }, (_, i) => (i < 120 ? 1 : 0));
    const error = aucStandardError(120, 480);
    let squares = 0;
    for (let draw = 0; draw < 200; draw++) {
      for (let i = n - 1; i > 0; i--) {
        const j = random.integer(i + 1);
        [labels[i], labels[j]] = [labels[j], labels[i]];
      }
      const value = auc(scores, labels);
      squares += (value - 0.5) ** 2;
      if (draw === 0) expect(Math.abs(value - 0.5)).to.be.below(3 * error);
    }
    expect(Math.sqrt(squares / 200) / error).to.be.within(0.88, 1.12);
  });
});
