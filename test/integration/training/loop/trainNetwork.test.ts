import { expect } from 'chai';
import * as tf from '@tensorflow/tfjs-core';
import { seededRandom } from '../../../../src/core/Random.ts';
import type { ServiceError } from '../../../../src/core/ServiceError.ts';
import { openRuntime } from '../../../../src/engine/runtime/openRuntime.ts';
import { allRows } from '../../../../training/splits/planFolds.ts';
import { isOpportunity } from '../../../../training/data/RowSet.ts';
import { allocateBatch, fillBatch } from '../../../../training/loop/Batch.ts';
import { fitBaselines, predictRows } from '../../../../training/loop/predictRows.ts';
import { initialWeights } from '../../../../training/loop/scaling.ts';
import { lossAndGradients } from '../../../../training/loop/lossAndGradients.ts';
import { networkLoss, trainNetwork } from '../../../../training/loop/trainNetwork.ts';
import { auc } from '../../../../training/metrics/auc.ts';
import { randomRows } from '../../../support/randomRows.ts';
import { randomWeights, SMALL_SPEC } from '../../../support/smallModel.ts';
import { TEST_BACKEND } from '../../../support/testBackend.ts';

const BASELINES = Array.from({ length: 4 }, (_, head) => ({ intercept: -0.5 - 0.1 * head, slope: 0.7 }));
const OPTIONS = {
  spec: SMALL_SPEC,
  baselines: BASELINES,
  epochs: 2,
  batchSize: 32,
  learningRate: 0.01,
  seed: 3,
  schedule: 'cosine',
  patience: 100,
  validations: 1,
  validation: new Int32Array(0),
} as const;
const QUIET = { nowMs: () => 0 };

describe('training of a network', () => {
  before(() => openRuntime(TEST_BACKEND));

  it('starts exactly at the fitted baseline', () => {
    const rows = randomRows({ count: 20 });
    const predicted = predictRows(SMALL_SPEC, initialWeights(SMALL_SPEC, BASELINES, 1), rows, allRows(rows));
    predicted.residual.forEach((residual, i) => {
      const { intercept, slope } = BASELINES[rows.head[i]];
      expect(residual).to.equal(0);
      expect(predicted.baseline[i]).to.be.closeTo(intercept + slope * rows.baseline[i], 1e-5);
    });
  });

  it('has the gradients of finite differences, and none for the baseline', () => {
    const weights = randomWeights(SMALL_SPEC, 4);
    const batch = allocateBatch(8);
    const rows = randomRows({ count: 8 });
    fillBatch(batch, rows, allRows(rows), 0, seededRandom(1));
    const { gradients } = lossAndGradients(SMALL_SPEC, weights, batch);
    expect(Object.keys(gradients)).to.have.length(12).and.not.include('baseline/kernel');
    for (const [name, values] of Object.entries(gradients))
      for (const at of [0, 1, values.length >> 1, values.length - 1]) {
        const step = 1e-2;
        const moved = [step, -step].map((by) => {
          const changed = { ...weights, [name]: weights[name as 'trunk/bias'].map((value, i) => (i === at ? value + by : value)) };
          return lossAndGradients(SMALL_SPEC, changed, batch).loss;
        });
        expect(values[at], `${name} ${at}`).to.be.closeTo((moved[0] - moved[1]) / (2 * step), 1e-3);
      }
  });

  it('gives the same weights for the same seed, others for another seed, and disposes all tensors', () => {
    const rows = randomRows({ count: 96, draws: 2 });
    const before = tf.memory().numTensors;
    const [first, again, other] = [3, 3, 4].map((seed) => trainNetwork(rows, allRows(rows), { ...OPTIONS, seed }, QUIET).weights);
    expect(again).to.deep.equal(first);
    expect(other!['trunk/kernel']).to.not.deep.equal(first!['trunk/kernel']);
    expect(first!['baseline/bias'][0]).to.be.closeTo(-0.5, 1e-6);
    expect(tf.memory().numTensors).to.equal(before);
  });

  it('finds a signal in the context, on unseen rows', () => {
    const rows = randomRows({ count: 640, tellingColumn: 11 });
    const { weights } = trainNetwork(rows, allRows(rows), { ...OPTIONS, epochs: 5, batchSize: 16, learningRate: 0.02 }, QUIET);
    const unseen = randomRows({ count: 200, tellingColumn: 11, seed: 9 });
    const { residual } = predictRows(SMALL_SPEC, weights, unseen, allRows(unseen));
    const labels = Uint8Array.from(allRows(unseen), (row) => isOpportunity(unseen, row));
    expect(auc(Float64Array.from(residual), labels)).to.be.above(0.9);
  });

  it('stops at a loss that is not a number, and names the step', () => {
    const rows = randomRows({ count: 64 });
    rows.context[5] = NaN;
    expect(() => trainNetwork(rows, allRows(rows), OPTIONS, QUIET))
      .to.throw(/^The loss is NaN at step \d+ \(epoch 0, batch \d+; training rows [\d, …]+\)\.$/)
      .with.property('code' satisfies keyof ServiceError, 'training.diverged');
  });

  it('keeps the best weights on validation rows', () => {
    const rows = randomRows({ count: 400, tellingColumn: 11 });
    const [training, validation] = [allRows(rows).subarray(0, 300), allRows(rows).subarray(300)];
    const trained = trainNetwork(rows, training, { ...OPTIONS, epochs: 12, batchSize: 16, learningRate: 0.02, validation }, QUIET);
    const losses = trained.validation.map(({ loss }) => loss);
    expect(trained.bestLoss).to.equal(Math.min(...losses));
    expect(networkLoss(SMALL_SPEC, trained.weights, rows, validation)).to.be.closeTo(trained.bestLoss, 1e-4);
    expect(losses[0] - trained.bestLoss).to.be.above(0.1);
  });

  it('fits the baseline of each bucket with enough rows, and uses that of all buckets for the others', () => {
    const rows = randomRows({ count: 1000 });
    rows.head.forEach((_, row) => (rows.head[row] = row < 900 ? 0 : 1));
    const [first, second, third] = fitBaselines(rows, allRows(rows), 3);
    expect(second).to.deep.equal(third);
    expect(first).to.not.deep.equal(second);
  });
});
