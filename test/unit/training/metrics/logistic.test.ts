import { expect } from 'chai';
import fc from 'fast-check';
import { seededRandom } from '../../../../src/core/Random.ts';
import { fitPlatt, fitLogistic, sigmoid } from '../../../../training/metrics/logistic.ts';

type Fit = ReturnType<typeof fitLogistic>;
const logitOf = ({ intercept, weights }: Fit, x: Float64Array, row: number): number =>
  weights.reduce((sum, weight, j) => sum + weight * x[row * weights.length + j], intercept);

/** Gradient of the penalised loss at the fit: intercept first. */
function gradientAt(fit: Fit, x: Float64Array, y: Uint8Array, l2: number, offset?: Float64Array): number[] {
  const k = fit.weights.length;
  const gradient = [0, ...[...fit.weights].map((weight) => l2 * weight)];
  y.forEach((label, i) => {
    const residual = 1 / (1 + Math.exp(-logitOf(fit, x, i) - (offset?.[i] ?? 0))) - label;
    gradient[0] += residual;
    for (let j = 0; j < k; j++) gradient[j + 1] += residual * x[i * k + j];
  });
  return gradient;
}

describe('fitLogistic', () => {
  it('has a gradient of 0, with penalty and offset, on random rows', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 4 }), fc.integer({ min: 2, max: 60 }), (seed, k, n) => {
        const random = seededRandom(seed);
        const x = Float64Array.from({ length: n * k }, () => 2 * random.normal());
        const offset = Float64Array.from({ length: n }, () => random.normal());
        const y = Uint8Array.from({ length: n }, (_, i) => (i === 0 ? 1 : i === 1 ? 0 : random.integer(2)));
        const fit = fitLogistic(x, n, k, y, { l2: 0.5, offset });
        for (const part of gradientAt(fit, x, y, 0.5, offset)) expect(part).to.be.closeTo(0, 1e-6);
      }),
      { numRuns: 40 },
    );
  });

  it('gives the log odds ratio of a two by two table', () => {
    // x = 0: 30 of 100 positive; x = 1: 60 of 80.
    const cells = [[0, 1, 30], [0, 0, 70], [1, 1, 60], [1, 0, 20]] as const; // prettier-ignore
    const rows = cells.flatMap(([x, y, count]) => Array.from({ length: count }, () => ({ x, y })));
    const x = Float64Array.from(rows, (r) => r.x);
    const fit = fitLogistic(x, rows.length, 1, Uint8Array.from(rows, (r) => r.y), { l2: 0 }); // prettier-ignore
    expect(fit.intercept).to.be.closeTo(Math.log(30 / 70), 1e-10);
    expect(fit.weights[0]).to.be.closeTo(Math.log(60 / 20) - Math.log(30 / 70), 1e-10);
  });

  it('stays finite and ordered on separable rows, and with a duplicate column', () => {
    const x = Float64Array.from({ length: 400 }, (_, i) => Math.floor(i / 2) - 100);
    const y = Uint8Array.from({ length: 200 }, (_, i) => (i >= 100 ? 1 : 0));
    for (const l2 of [0, 1e-3, 1]) {
      const fit = fitLogistic(x, 200, 2, y, { l2 });
      expect([fit.intercept, ...fit.weights].every(Number.isFinite), `l2 ${l2}`).to.equal(true);
      expect(logitOf(fit, x, 0)).to.be.below(-1);
      expect(logitOf(fit, x, 199)).to.be.above(1);
    }
  });

  it('is the smoothed base rate with one class or none', () => {
    const fit = fitLogistic(Float64Array.of(1, 2, 3), 3, 1, Uint8Array.of(0, 0, 0));
    expect(fit).to.deep.equal({ intercept: Math.log(0.5 / 3.5), weights: new Float64Array(1) });
    expect(fitLogistic(new Float64Array(0), 0, 2, new Uint8Array(0)).intercept).to.equal(0);
  });

  it('rejects lengths that differ', () => {
    expect(() => fitLogistic(new Float64Array(3), 2, 2, new Uint8Array(2))).to.throw(RangeError);
    expect(() => fitLogistic(new Float64Array(4), 2, 2, new Uint8Array(3))).to.throw(RangeError);
    expect(() => fitLogistic(new Float64Array(4), 2, 2, new Uint8Array(2), { offset: new Float64Array(1) })).to.throw(RangeError);
    expect(() => fitLogistic(new Float64Array(4), 2, 2, new Uint8Array(2), { l2: -1 })).to.throw(RangeError);
  });
});

describe('fitPlatt', () => {
  const rows = (n: number, slope: number, intercept: number) => {
    const random = seededRandom(1);
    const logits = Float64Array.from({ length: n }, () => -1 + 2 * random.normal());
    return { logits, y: Uint8Array.from(logits, (logit) => (random.uniform() < sigmoid(slope * logit + intercept) ? 1 : 0)) };
  };

  it('corrects overconfidence', () => {
    const { logits, y } = rows(20_000, 0.6, -0.4);
    const scale = fitPlatt(logits, y);
    expect(scale.slope).to.be.closeTo(0.6, 0.045); // 4 standard errors
    expect(scale.intercept).to.be.closeTo(-0.4, 0.06);
  });

  it('never reverses the order, and still fits the base rate', () => {
    const { logits, y } = rows(5000, -0.7, -1);
    const scale = fitPlatt(logits, y);
    expect(scale.slope).to.equal(0.05);
    const meanP = logits.reduce((sum, logit) => sum + sigmoid(scale.slope * logit + scale.intercept), 0) / 5000;
    expect(meanP).to.be.closeTo(y.reduce((sum, label) => sum + label, 0) / 5000, 1e-6);
  });

  it('does not change the logits with too few rows or too few of a class', () => {
    const few = rows(99, 0.5, 0);
    expect(fitPlatt(few.logits, few.y)).to.deep.equal({ slope: 1, intercept: 0 });
    expect(fitPlatt(new Float64Array(1000), new Uint8Array(1000).fill(1, 0, 19))).to.deep.equal({ slope: 1, intercept: 0 });
  });

  it('is finite if the logits separate the classes', () => {
    const logits = Float64Array.from({ length: 400 }, (_, i) => (i - 199.5) / 100);
    const { slope, intercept } = fitPlatt(logits, Uint8Array.from(logits, (z) => (z > 0 ? 1 : 0))); // prettier-ignore
    expect(slope).to.be.within(1, 50);
    expect(intercept).to.be.closeTo(0, 0.01);
  });
});
