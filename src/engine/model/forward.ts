import * as tf from '@tensorflow/tfjs-core';
import { fusedLSTM } from '../runtime/lstm/fusedLSTM.ts';
import type { NetworkWeights, NetworkOutput, NetworkSpec, WeightArrays } from './NetworkWeights.ts';

export type NetworkInputs = {
  /** [B,T,F] */
  readonly sequence: tf.Tensor3D;
  /** [kB,C]: k thresholds, first all rows at the first one. The LSTM runs once per row. */
  readonly context: tf.Tensor2D;
  /** [kB,1]: ln(sigma(600) sqrt(H) / theta) */
  readonly baseline: tf.Tensor2D;
};

/** All [kB,K]. Opportunity logit = baseline + residual. */
export type NetworkLogits = { readonly baseline: tf.Tensor2D; readonly residual: tf.Tensor2D; readonly direction: tf.Tensor2D };

/** [B,T,F] -> [B,2H]: the last state, then an attention-weighted mean of all states. */
export function summarizeSequence(w: NetworkWeights, sequence: tf.Tensor3D): tf.Tensor2D {
  const [B, T] = sequence.shape;
  const states = fusedLSTM(
    sequence,
    w['lstm/kernel'] as tf.Tensor2D,
    w['lstm/recurrent_kernel'] as tf.Tensor2D,
    w['lstm/bias'] as tf.Tensor1D,
    true,
  ) as tf.Tensor3D; // [B,T,H]
  const H = states.shape[2];
  const last = tf.reshape(tf.slice(states, [0, T - 1, 0], [B, 1, H]), [B, H]);
  const scores = tf.reshape(tf.matMul(tf.reshape(states, [B * T, H]), w['attention/kernel'] as tf.Tensor2D), [B, T]);
  const attention = tf.reshape(tf.softmax(scores), [B, 1, T]);
  const pooled = tf.reshape(tf.matMul(attention, states), [B, H]);
  return tf.concat([last, pooled], 1) as tf.Tensor2D;
}

/** [B,2H] and [B,C] -> [B,D]: the input that all heads have in common. */
export function runTrunk(w: NetworkWeights, summary: tf.Tensor2D, context: tf.Tensor2D): tf.Tensor2D {
  return dense(tf.concat([summary, context], 1) as tf.Tensor2D, w['trunk/kernel'], w['trunk/bias'], 'relu');
}

/**
 * The network as a plain function of its weights, for training and serving: LSTM, last state and an attention-weighted mean of all
 * states, trunk, adapters, and one pair of logits per head. Differentiable in every weight. `buildLayersModel` builds the same function
 * as a LayersModel; a test compares them.
 */
export function forward(w: NetworkWeights, { sequence, context, baseline }: NetworkInputs): NetworkLogits {
  const summary = summarizeSequence(w, sequence);
  const thresholds = context.shape[0] / sequence.shape[0];
  const trunk = runTrunk(w, thresholds === 1 ? summary : tf.tile(summary, [thresholds, 1]), context); // [kB,D]
  const adapters = dense(trunk, w['adapters/kernel'], w['adapters/bias'], 'relu'); // [kB,K*r]
  const joined = tf.concat([trunk, adapters], 1) as tf.Tensor2D;
  return {
    baseline: dense(baseline, w['baseline/kernel'], w['baseline/bias'], 'linear'),
    residual: dense(joined, w['opportunity/kernel'], w['opportunity/bias'], 'linear'),
    direction: dense(joined, w['direction/kernel'], w['direction/bias'], 'linear'),
  };
}

function dense(x: tf.Tensor2D, kernel: tf.Tensor, bias: tf.Tensor, activation: 'relu' | 'linear'): tf.Tensor2D {
  const linear = tf.fused.matMul({ a: x, b: kernel as tf.Tensor2D, bias }) as tf.Tensor2D;
  // A leak of 0 is relu. The relu of the wasm backend, fused or not, returns 0 for NaN, which would look like a valid forecast.
  return activation === 'relu' ? tf.leakyRelu(linear, 0) : linear;
}

/** Inputs of the heads in a batch. */
export type HeadRows = { readonly size: number; readonly baseline: Float32Array; readonly heads: ArrayLike<number> };

/**
 * Computes the logits of every row from the trunk [B, D] with the head of the row. The same function as the end of `forward`, on arrays;
 * a test compares them. Computes only the adapter of the row's head, because the weights of the others are 0 (isConnected).
 */
export function readHeads(spec: NetworkSpec, w: WeightArrays, trunk: Float32Array, { size, baseline, heads }: HeadRows): NetworkOutput[] {
  const { dense: D, adapterRank: r, heads: K } = spec;
  const adapter = new Float64Array(r);
  return Array.from({ length: size }, (_, row) => {
    const head = heads[row] ?? 0;
    const from = row * D;
    for (let a = 0; a < r; a++) {
      let sum = w['adapters/bias'][head * r + a]!;
      for (let j = 0, at = head * r + a; j < D; j++, at += K * r) sum += trunk[from + j]! * w['adapters/kernel'][at]!;
      // NaN stays NaN, as in TensorFlow.
      adapter[a] = sum <= 0 ? 0 : sum;
    }
    const logit = (kernel: Float32Array, bias: Float32Array): number => {
      let sum = bias[head]!;
      for (let j = 0; j < D; j++) sum += trunk[from + j]! * kernel[j * K + head]!;
      for (let a = 0; a < r; a++) sum += adapter[a]! * kernel[(D + head * r + a) * K + head]!;
      return sum;
    };
    return {
      head,
      baselineLogit: baseline[row]! * w['baseline/kernel'][head]! + w['baseline/bias'][head]!,
      residualLogit: logit(w['opportunity/kernel'], w['opportunity/bias']),
      directionLogit: logit(w['direction/kernel'], w['direction/bias']),
    };
  });
}
