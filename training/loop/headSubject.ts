import type { Random } from '../../src/core/Random.ts';
import { type NetworkSpec, isConnected, type WeightArrays } from '../../src/engine/model/NetworkWeights.ts';
import { isOpportunity, type RowSet } from '../data/RowSet.ts';
import { HeadPass, type HeadGradients } from './HeadPass.ts';
import type { LossAndGradients } from './lossAndGradients.ts';
import type { LoopSubject } from './LoopTypes.ts';
import { trunkAt, type TrunkRows } from './trunkRows.ts';

/** Fraction of rows that train at a random threshold instead of theta*. */
const RANDOM_THETA_FRACTION = 0.7;

export type HeadSubjectOptions = {
  readonly spec: NetworkSpec;
  /** Initial weights, with the skip input of the tuned heads already fitted. */
  readonly start: WeightArrays;
  /** Heads that may change. */
  readonly heads: readonly number[];
  readonly batchSize: number;
  /** Positions in `trunk.index` for training and for validation. */
  readonly training: Int32Array;
  readonly validation: Int32Array;
};

const VALIDATION_DRAWS = 2;

/**
 * Heads of a network with a frozen trunk, as a subject of the training loop: adapter and output weights of `heads` change and decay towards
 * their initial values. The rows of the loop are positions in `trunk.index`.
 */
export function headSubject(rows: RowSet, trunk: TrunkRows, options: HeadSubjectOptions): LoopSubject {
  const { spec, start, training, validation } = options;
  const pass = new HeadPass(spec);
  const batchSize = Math.min(options.batchSize, training.length);
  return {
    start,
    anchor: start,
    index: training,
    batchSize,
    masks: headMasks(spec, options.heads),
    gradients: (weights, order, from, random) => batchGradients(pass, rows, trunk, weights, order.subarray(from, from + batchSize), random),
    validationLoss: (weights) => headLoss(pass, rows, trunk, weights, validation),
  };
}

function batchGradients(
  pass: HeadPass,
  rows: RowSet,
  trunk: TrunkRows,
  weights: WeightArrays,
  order: Int32Array,
  random: Random,
): LossAndGradients {
  const gradients: HeadGradients = pass.emptyGradients();
  let loss = 0;
  for (const position of order) {
    const row = trunk.index[position] as number;
    const isRandom = rows.draws > 1 && random.uniform() < RANDOM_THETA_FRACTION;
    const draw = isRandom ? 1 + random.integer(rows.draws - 1) : 0;
    const side = trunk.sides === 2 && random.uniform() < 0.5 ? 1 : 0;
    pass.run(
      weights,
      trunk.values,
      trunkAt(trunk, position, draw, side),
      rows.head[row] as number,
      rows.baseline[row * rows.draws + draw] as number,
    );
    const isHit = isOpportunity(rows, row, draw);
    const isUp = (rows.move[row] as number) > 0 !== (side === 1);
    loss += pass.addGradients(weights, gradients, isHit, isUp, 1 / order.length);
  }
  return { loss, gradients };
}

/** Mean cross entropy of the opportunity at positions of `trunk`, in nats; NaN without positions. */
function headLoss(pass: HeadPass, rows: RowSet, trunk: TrunkRows, weights: WeightArrays, positions: Int32Array): number {
  const draws = Math.min(VALIDATION_DRAWS, rows.draws);
  let sum = 0;
  for (const position of positions) {
    const row = trunk.index[position] as number;
    for (let draw = 0; draw < draws; draw++) {
      pass.run(
        weights,
        trunk.values,
        trunkAt(trunk, position, draw, 0),
        rows.head[row] as number,
        rows.baseline[row * rows.draws + draw] as number,
      );
      sum += pass.crossEntropy(isOpportunity(rows, row, draw));
    }
  }
  return sum / (positions.length * draws);
}

/** 1 for entries that belong to one of `heads`. */
function headMasks(spec: NetworkSpec, heads: readonly number[]): Partial<WeightArrays> {
  const { dense: D, adapterRank: r, heads: K } = spec;
  const has = (head: number): number => (heads.includes(head) ? 1 : 0);
  const kernel = new Float32Array((D + K * r) * K);
  kernel.forEach((_, at) => (kernel[at] = isConnected(spec, Math.floor(at / K), at % K) ? has(at % K) : 0));
  const bias = Float32Array.from({ length: K }, (_, head) => has(head));
  return {
    'adapters/kernel': Float32Array.from({ length: D * K * r }, (_, at) => has(Math.floor((at % (K * r)) / r))),
    'adapters/bias': Float32Array.from({ length: K * r }, (_, at) => has(Math.floor(at / r))),
    'opportunity/kernel': kernel,
    'opportunity/bias': bias,
    'direction/kernel': kernel,
    'direction/bias': bias,
  };
}
