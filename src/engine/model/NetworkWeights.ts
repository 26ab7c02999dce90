import type { Tensor } from '@tensorflow/tfjs-core';

/** Weight names in the saved LayersModel: layer/weight, in stored order. */
export const WEIGHT_NAMES = [
  'lstm/kernel',
  'lstm/recurrent_kernel',
  'lstm/bias',
  'attention/kernel',
  'trunk/kernel',
  'trunk/bias',
  'adapters/kernel',
  'adapters/bias',
  'baseline/kernel',
  'baseline/bias',
  'opportunity/kernel',
  'opportunity/bias',
  'direction/kernel',
  'direction/bias',
] as const;

export type WeightName = (typeof WEIGHT_NAMES)[number];
export type NetworkWeights = Readonly<Record<WeightName, Tensor>>;
export type WeightArrays = Readonly<Record<WeightName, Float32Array>>;

/** Shapes of all weights. Axes: F sequence columns, H units, C context columns, D dense, r adapter rank, K heads. */
export function weightShapes(spec: NetworkSpec): Readonly<Record<WeightName, readonly number[]>> {
  const { sequenceColumns: F, units: H, contextColumns: C, dense: D, adapterRank: r, heads: K } = spec;
  return {
    'lstm/kernel': [F, 4 * H],
    'lstm/recurrent_kernel': [H, 4 * H],
    'lstm/bias': [4 * H],
    'attention/kernel': [H, 1],
    'trunk/kernel': [2 * H + C, D],
    'trunk/bias': [D],
    'adapters/kernel': [D, K * r],
    'adapters/bias': [K * r],
    'baseline/kernel': [1, K],
    'baseline/bias': [K],
    'opportunity/kernel': [D + K * r, K],
    'opportunity/bias': [K],
    'direction/kernel': [D + K * r, K],
    'direction/bias': [K],
  };
}

export const sizeOf = (shape: readonly number[]): number => shape.reduce((product, length) => product * length, 1);

export function parameterCount(spec: NetworkSpec): number {
  return Object.values(weightShapes(spec)).reduce((sum, shape) => sum + sizeOf(shape), 0);
}

/**
 * Whether entry (row, head) of an output kernel may differ from 0. Head k is connected to the D columns of the trunk and the r columns
 * of its own adapter only, so one head can be tuned without changing the others.
 */
export function isConnected(spec: NetworkSpec, row: number, head: number): boolean {
  return row < spec.dense || Math.floor((row - spec.dense) / spec.adapterRank) === head;
}

/** Inputs are sequence [B,T,F], context [B,C], baseline [B,1] = ln(sigma(600) sqrt(H) / theta); outputs [B,K] logits. */
export type NetworkSpec = {
  readonly steps: number;
  readonly sequenceColumns: number;
  readonly contextColumns: number;
  readonly units: number;
  readonly dense: number;
  readonly adapterRank: number;
  readonly heads: number;
};

/** Rows for the network, each array row-major over the batch. */
export type NetworkBatch = {
  readonly size: number;
  /** [B,T,F], or [S,T,F] with `sequenceOf`. */
  readonly sequence: Float32Array;
  /** The sequence of each row, ascending from 0 without gaps; absent: each row has its own. */
  readonly sequenceOf?: Int32Array;
  /** [B,C] */
  readonly context: Float32Array;
  /** [B] */
  readonly baseline: Float32Array;
  /** Horizon bucket of each row. */
  readonly heads: ArrayLike<number>;
};

/** Output of the network for one row and the head of its horizon bucket; logits before calibration and rules. */
export type NetworkOutput = {
  readonly head: number;
  /** b_h + w_h * baseline, the EWMA logistic inside the network. */
  readonly baselineLogit: number;
  /** Contribution of LSTM and context. Opportunity logit = baselineLogit + residualLogit. */
  readonly residualLogit: number;
  readonly directionLogit: number;
};
