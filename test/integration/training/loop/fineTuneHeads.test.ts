import { expect } from 'chai';
import * as tf from '@tensorflow/tfjs-core';
import { openRuntime } from '../../../../src/engine/runtime/openRuntime.ts';
import { isOpportunity } from '../../../../training/data/RowSet.ts';
import { permutedPlacebo, permutedRows } from '../../../../training/evaluation/permutedPlacebo.ts';
import { HeadPass } from '../../../../training/loop/HeadPass.ts';
import { predictRows } from '../../../../training/loop/predictRows.ts';
import { runJob } from '../../../../training/loop/runJob.ts';
import type { TrainJob, TrainJobSetting } from '../../../../training/loop/TrainJob.ts';
import { trunkAt, trunkRows } from '../../../../training/loop/trunkRows.ts';
import { auc } from '../../../../training/metrics/auc.ts';
import { allRows } from '../../../../training/splits/planFolds.ts';
import { randomRows } from '../../../support/randomRows.ts';
import { randomWeights, SMALL_SPEC } from '../../../support/smallModel.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { TEST_BACKEND } from '../../../support/testBackend.ts';

const weights = randomWeights(SMALL_SPEC, 4);

describe('heads over a frozen trunk', () => {
  before(() => openRuntime(TEST_BACKEND));

  it('have the logits of the whole network, also for mirrored rows, and dispose all tensors', () => {
    const rows = randomRows({ count: 70, draws: 2 });
    const before = tf.memory().numTensors;
    const trunk = trunkRows(SMALL_SPEC, weights, rows, allRows(rows), 2);
    expect(tf.memory().numTensors).to.equal(before);
    const { baseline, residual, direction } = predictRows(SMALL_SPEC, weights, rows, allRows(rows));
    const pass = new HeadPass(SMALL_SPEC);
    for (let at = 0; at < 140; at++) {
      const row = at >> 1;
      pass.run(weights, trunk.values, trunkAt(trunk, row, at % 2, 0), rows.head[row], rows.baseline[at]);
      expect(pass.logit).to.be.closeTo(baseline[at] + residual[at], 2e-5);
      expect(pass.residual).to.be.closeTo(residual[at], 2e-5);
      expect(pass.direction).to.be.closeTo(direction[at], 2e-5);
    }
    const [plain, mirrored] = [0, 1].map((side) => {
      pass.run(weights, trunk.values, trunkAt(trunk, 3, 0, side), 0, 0);
      return pass.logit;
    });
    expect(plain).to.not.equal(mirrored);
  });

  it('learn a signal of the trunk outputs, while trunk and other heads do not change', () => {
    const rows = randomRows({ count: 1600, tellingColumn: 11 });
    rows.head.fill(1);
    const test = randomRows({ count: 400, tellingColumn: 11, seed: 9 });
    test.head.fill(1);
    const job: TrainJob = {
      kind: 'heads',
      name: 'heads',
      train: allRows(rows),
      test: allRows(test),
      seed: 1,
      parent: weights,
      heads: [1],
      placeboSeed: 5,
    };
    const setting: TrainJobSetting = {
      trainRows: rows,
      testRows: test,
      groups: ['a', 'a', 'a'],
      spec: SMALL_SPEC,
      epochs: 40,
      batchSize: 32,
      learningRate: 0.05,
      schedule: 'cosine',
      patience: 40,
      validations: 1,
      seed: 1,
      backend: 'wasm',
      runDir: temporaryFolder(),
      resume: false,
      stop: new Int32Array(1),
      deadlineMs: Infinity,
    };
    const result = runJob(job, setting, () => {});
    for (const name of ['lstm/kernel', 'trunk/kernel', 'attention/kernel'] as const)
      expect(result.weights[name]).to.deep.equal(weights[name]);
    const K = SMALL_SPEC.heads;
    result.weights['opportunity/kernel'].forEach((value, at) => {
      if (at % K !== 1) expect(value).to.equal(weights['opportunity/kernel'][at]);
    });
    expect(result.weights['opportunity/bias'][1]).to.not.equal(weights['opportunity/bias'][1]);
    expect(result.weights['baseline/kernel'][0]).to.equal(weights['baseline/kernel'][0]);
    const labels = Uint8Array.from(allRows(test), (row) => isOpportunity(test, row));
    const [tuned, parent] = [result.predicted, result.parentPredicted!].map(({ baseline, residual }) =>
      auc(
        Float64Array.from(baseline, (value, i) => value + residual[i]),
        labels,
      ),
    ) as [number, number];
    // After training on permuted outcomes, it does not predict permuted outcomes.
    const permuted = permutedPlacebo(permutedRows(rows, test, 5).testRows, result.placeboPredicted!);
    expect(permuted.holds, permuted.text).to.equal(true);
    expect(tuned, `parent ${parent}`).to.be.above(parent + 0.08);
    // With the resulting weights, through the whole network.
    const { baseline, residual } = predictRows(SMALL_SPEC, result.weights, test, allRows(test));
    residual.forEach((value, i) =>
      expect(baseline[i] + value).to.be.closeTo(result.predicted.baseline[i] + result.predicted.residual[i], 5e-5),
    );
  });
});
