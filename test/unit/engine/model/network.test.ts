import { expect } from 'chai';
import * as tf from '@tensorflow/tfjs-core';
import { buildLayersModel } from '../../../../src/engine/model/buildLayersModel.ts';
import { joinRows } from '../../../../src/engine/inference/runBatch.ts';
import { Network, ReadoutChoice } from '../../../../src/engine/model/Network.ts';
import { parameterCount } from '../../../../src/engine/model/NetworkWeights.ts';
import { openRuntime } from '../../../../src/engine/runtime/openRuntime.ts';
import { randomBatch, randomWeights, SMALL_SPEC } from '../../../support/smallModel.ts';
import { TEST_BACKEND } from '../../../support/testBackend.ts';

describe('Network', () => {
  before(() => openRuntime(TEST_BACKEND));

  it('gives the same results as the stock LayersModel with the same weights', () => {
    const weights = randomWeights(SMALL_SPEC, 1);
    const batch = randomBatch(SMALL_SPEC, 6, 2);
    const network = new Network(SMALL_SPEC, weights);
    const outputs = network.run(batch);
    const model = buildLayersModel(SMALL_SPEC, weights);
    const [opportunity, direction] = tf.tidy(() => {
      const inputs = [
        tf.tensor(batch.sequence, [6, SMALL_SPEC.steps, SMALL_SPEC.sequenceColumns]),
        tf.tensor(batch.context, [6, SMALL_SPEC.contextColumns]),
        tf.tensor(batch.baseline, [6, 1]),
      ];
      return (model.predict(inputs) as tf.Tensor[]).map((tensor) => tensor.dataSync());
    });
    outputs.forEach((output, row) => {
      const at = row * SMALL_SPEC.heads + output.head;
      expect(output.baselineLogit + output.residualLogit).to.be.closeTo(opportunity?.[at] ?? NaN, 1e-5);
      expect(output.directionLogit).to.be.closeTo(direction?.[at] ?? NaN, 1e-5);
    });
    model.dispose();
    network.dispose();
  });

  it('gives the same logits by one kernel and by tensor ops, for every head', () => {
    // Units divisible by 16, by 4, and by neither; trunk outputs with a remainder.
    for (const spec of [
      SMALL_SPEC,
      { ...SMALL_SPEC, units: 48, dense: 48, adapterRank: 4 },
      { ...SMALL_SPEC, units: 23, dense: 10, steps: 5 },
    ]) {
      const network = new Network(spec, randomWeights(spec, 9));
      for (let head = 0; head < spec.heads; head++) {
        const batch = { ...randomBatch(spec, 5, 20 + head), heads: new Uint8Array(5).fill(head) };
        const expected = network.run(batch, 'tensors');
        network.run(batch, 'fused').forEach((output, row) => {
          expect(output.head).to.equal(head);
          for (const name of ['baselineLogit', 'residualLogit', 'directionLogit'] as const) {
            const wanted = expected[row][name];
            expect(output[name], name).to.be.closeTo(wanted, 4e-6 * Math.max(1, Math.abs(wanted)));
          }
        });
      }
      network.dispose();
    }
  });

  it('gives rows that share a sequence the logits of rows with their own', () => {
    const network = new Network(SMALL_SPEC, randomWeights(SMALL_SPEC, 9));
    const { steps, sequenceColumns } = SMALL_SPEC;
    const batch = randomBatch(SMALL_SPEC, 6, 3);
    const size = steps * sequenceColumns;
    const sequences = [0, 1, 2].map((at) => batch.sequence.subarray(at * size, (at + 1) * size));
    const rows = [0, 0, 0, 1, 2, 2].map((sequence, at) => ({
      sequence: sequences[sequence],
      context: batch.context.subarray(at * SMALL_SPEC.contextColumns, (at + 1) * SMALL_SPEC.contextColumns),
      baseline: batch.baseline[at],
      head: at % SMALL_SPEC.heads,
    }));
    const shared = joinRows(rows);
    expect([shared.sequence.length / size, ...shared.sequenceOf!]).to.deep.equal([3, 0, 0, 0, 1, 2, 2]);
    const copied = joinRows(rows.map((row) => ({ ...row, sequence: row.sequence.slice() })));
    expect(copied).to.not.have.property('sequenceOf');
    for (const readout of ['fused', 'tensors'] as const)
      expect(network.run(shared, readout), readout).to.deep.equal(network.run(copied, readout));
    network.dispose();
  });

  it('propagates NaN through both readouts', () => {
    const network = new Network(SMALL_SPEC, randomWeights(SMALL_SPEC, 9));
    // Kernels treat a NaN with its sign bit set differently; x64 computes such a NaN from infinities.
    for (const bits of [0x7fc00000, 0xffc00000])
      for (const part of ['sequence', 'context'] as const) {
        const batch = randomBatch(SMALL_SPEC, 2, 1);
        new Uint32Array(batch[part].buffer)[0] = bits;
        for (const readout of ['fused', 'tensors'] as const) {
          const [bad, good] = network.run(batch, readout);
          const what = `${bits.toString(16)} ${part} ${readout}`;
          expect([bad?.residualLogit, bad?.directionLogit], what).to.deep.equal([NaN, NaN]);
          expect(Number.isFinite(good?.residualLogit), what).to.equal(true);
        }
      }
    network.dispose();
  });

  it('uses the readout chosen for its batch size', () => {
    const choice = new ReadoutChoice();
    expect([1, 64].map((batch) => choice.of(batch))).to.deep.equal(['fused', 'fused']);
    choice.learn(32, 'tensors');
    choice.learn(1, 'fused');
    expect([1, 31, 32, 64].map((batch) => choice.of(batch))).to.deep.equal(['fused', 'fused', 'tensors', 'tensors']);
    choice.learn(32, 'fused');
    expect(choice.of(64)).to.equal('fused');
  });

  it('has as many weights as the LayersModel', () => {
    const model = buildLayersModel(SMALL_SPEC, randomWeights(SMALL_SPEC, 1));
    expect(model.countParams()).to.equal(parameterCount(SMALL_SPEC));
    model.dispose();
  });

  it('gives the same results for a batch as for its rows one by one', () => {
    const network = new Network(SMALL_SPEC, randomWeights(SMALL_SPEC, 3));
    const batch = randomBatch(SMALL_SPEC, 16, 4);
    const together = network.run(batch);
    const sequenceSize = SMALL_SPEC.steps * SMALL_SPEC.sequenceColumns;
    together.forEach((output, row) => {
      const [alone] = network.run({
        size: 1,
        sequence: batch.sequence.slice(row * sequenceSize, (row + 1) * sequenceSize),
        context: batch.context.slice(row * SMALL_SPEC.contextColumns, (row + 1) * SMALL_SPEC.contextColumns),
        baseline: batch.baseline.slice(row, row + 1),
        heads: [output.head],
      });
      expect(alone?.residualLogit).to.be.closeTo(output.residualLogit, 1e-6 * Math.max(1, Math.abs(output.residualLogit)) + 1e-6);
    });
    network.dispose();
  });

  it('leaves no tensor behind', () => {
    const before = tf.memory().numTensors;
    const network = new Network(SMALL_SPEC, randomWeights(SMALL_SPEC, 5));
    for (let i = 0; i < 5; i++) network.run(randomBatch(SMALL_SPEC, 3, i));
    network.dispose();
    expect(tf.memory().numTensors).to.equal(before);
  });
});
