import type { WeightArrays } from '../../src/engine/model/NetworkWeights.ts';
import { permutedRows } from '../evaluation/permutedPlacebo.ts';
import { fitBaselines, type PredictedRows } from './predictRows.ts';
import { headSubject } from './headSubject.ts';
import { HeadPass } from './HeadPass.ts';
import type { BaselineFit } from './scaling.ts';
import type { LoopControl, LoopResult } from './LoopTypes.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { JobReport, JobRows, TrainedJob, TrainJob, TrainJobSetting } from './TrainJob.ts';
import { trainLoop } from './trainLoop.ts';
import { trunkAt, trunkRows, type TrunkRows } from './trunkRows.ts';
import { copyWeights } from './LoopState.ts';

type HeadJob = Extract<TrainJob, { kind: 'heads' }>;

/**
 * Tunes the heads of a network with a frozen trunk. They start with the skip input fitted to these training rows plus the residual of the
 * parent; if training does not improve the validation loss, the result is this start. Then repeats the training on permuted outcomes, for
 * the gate.
 */
export function fineTuneHeads(job: HeadJob, setting: TrainJobSetting, given: JobRows, control: LoopControl, report: JobReport): TrainedJob {
  const { trainRows, testRows, spec } = setting;
  const { training, validation } = given;
  const index = new Int32Array([...training, ...validation]);
  const total = index.length + job.test.length;
  const trunk = trunkRows(spec, job.parent, trainRows, index, 2, (done) => report({ kind: 'trunk', name: job.name, done, total }));
  const testTrunk = trunkRows(spec, job.parent, testRows, job.test, 1, (done) =>
    report({ kind: 'trunk', name: job.name, done: index.length + done, total }),
  );
  const positions = (from: number, count: number): Int32Array => Int32Array.from({ length: count }, (_, i) => from + i);
  const validated = positions(training.length, validation.length);
  const tune = (rows: RowSet, baselines: readonly BaselineFit[], by: LoopControl): LoopResult => {
    const start = withBaselines(job.parent, job.heads, baselines);
    const { heads } = job;
    const { batchSize } = setting;
    const subject = headSubject(rows, trunk, {
      spec,
      start,
      heads,
      batchSize,
      training: positions(0, training.length),
      validation: validated,
    });
    return trainLoop(subject, { ...setting, seed: job.seed }, by);
  };
  const result = tune(trainRows, given.baselines, control);
  const pass = new HeadPass(spec);
  const predictTest = (weights: WeightArrays): PredictedRows =>
    predictHeads(pass, weights, testRows, testTrunk, positions(0, job.test.length));
  // Only the outcomes are permuted and the inputs are the same, so the trunk is not run again.
  const permuted = permutedRows(trainRows, testRows, job.placeboSeed);
  const { nowMs, isStopped, isOutOfTime } = control;
  const watched = { nowMs, ...(isStopped && { isStopped }), ...(isOutOfTime && { isOutOfTime }) };
  const placebo = tune(permuted.trainRows, fitBaselines(permuted.trainRows, training, spec.heads), watched);
  return {
    ...result,
    spec,
    predicted: predictTest(result.weights),
    validated: predictHeads(pass, result.weights, trainRows, trunk, validated),
    parentPredicted: predictTest(job.parent),
    placeboPredicted: predictTest(placebo.weights),
    // The values of the trunk are in memory: there is no waiting time.
    waitFraction: 0,
  };
}

function withBaselines(parent: WeightArrays, heads: readonly number[], baselines: readonly BaselineFit[]): WeightArrays {
  const weights = copyWeights(parent);
  for (const head of heads) {
    weights['baseline/kernel'][head] = baselines[head]?.slope ?? 0;
    weights['baseline/bias'][head] = baselines[head]?.intercept ?? 0;
  }
  return weights;
}

/** Logits of rows at all their thresholds, side 0. `index` of the result contains rows, not positions. */
function predictHeads(pass: HeadPass, weights: WeightArrays, rows: RowSet, trunk: TrunkRows, positions: Int32Array): PredictedRows {
  const { draws } = rows;
  const count = positions.length * draws;
  const predicted = {
    index: positions.map((position) => trunk.index[position] as number),
    draws,
    baseline: new Float32Array(count),
    residual: new Float32Array(count),
    direction: new Float32Array(count),
  };
  positions.forEach((position, i) => {
    const row = trunk.index[position] as number;
    for (let draw = 0; draw < draws; draw++) {
      pass.run(
        weights,
        trunk.values,
        trunkAt(trunk, position, draw, 0),
        rows.head[row] as number,
        rows.baseline[row * draws + draw] as number,
      );
      predicted.baseline[i * draws + draw] = pass.logit - pass.residual;
      predicted.residual[i * draws + draw] = pass.residual;
      predicted.direction[i * draws + draw] = pass.direction;
    }
  });
  return predicted;
}
