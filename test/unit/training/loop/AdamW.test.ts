import { expect } from 'chai';
import { WEIGHT_NAMES, type WeightArrays } from '../../../../src/engine/model/NetworkWeights.ts';
import { ADAMW, AdamW } from '../../../../training/loop/AdamW.ts';

const weightsOf = (value: number): WeightArrays =>
  Object.fromEntries(WEIGHT_NAMES.map((name) => [name, new Float32Array(3).fill(value)])) as WeightArrays;

describe('AdamW', () => {
  it('follows the published algorithm, computed by hand for two steps', () => {
    const weights = weightsOf(1);
    const { beta1, beta2, epsilon, weightDecay } = ADAMW;
    const optimizer = new AdamW(weights);
    let [w, m, v] = [1, 0, 0];
    for (const [step, g] of [0.3, -0.1].entries()) {
      optimizer.step(weights, { 'trunk/kernel': Float32Array.of(g, 0, 0) }, 0.01);
      m = beta1 * m + (1 - beta1) * g;
      v = beta2 * v + (1 - beta2) * g * g;
      w -= 0.01 * weightDecay * w + (0.01 * (m / (1 - beta1 ** (step + 1)))) / (Math.sqrt(v / (1 - beta2 ** (step + 1))) + epsilon);
    }
    expect(weights['trunk/kernel'][0]).to.be.closeTo(w, 1e-6);
    expect(weights['lstm/kernel'][0]).to.equal(1);
  });

  it('decays kernels but not biases', () => {
    const weights = weightsOf(1);
    new AdamW(weights).step(weights, { 'trunk/kernel': new Float32Array(3), 'trunk/bias': new Float32Array(3) }, 0.1);
    expect(weights['trunk/kernel'][0]).to.be.closeTo(1 - 0.1 * ADAMW.weightDecay, 1e-6);
    expect(weights['trunk/bias'][0]).to.equal(1);
  });

  it('scales down a gradient above the norm, and returns the norm before clipping', () => {
    const [large, small] = [weightsOf(0), weightsOf(0)];
    expect(new AdamW(large).step(large, { 'trunk/kernel': Float32Array.of(30, 40, 0) }, 1)).to.equal(50);
    new AdamW(small).step(small, { 'trunk/kernel': Float32Array.of(0.6, 0.8, 0) }, 1);
    expect([...large['trunk/kernel']]).to.deep.equal([...small['trunk/kernel']]);
  });

  it('does not change masked entries, nor count them in the norm', () => {
    const weights = weightsOf(0);
    const gradients = { 'opportunity/kernel': Float32Array.of(0.5, 100, 0) };
    const norm = new AdamW(weights).step(weights, gradients, 0.1, { 'opportunity/kernel': Float32Array.of(1, 0, 1) });
    expect(norm).to.equal(0.5);
    expect(weights['opportunity/kernel'][0]).to.be.closeTo(-0.1, 1e-6);
    expect([...weights['opportunity/kernel'].subarray(1)]).to.deep.equal([0, 0]);
  });
});
