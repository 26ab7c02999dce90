import * as tf from '@tensorflow/tfjs-core';
import { fusedLSTM } from '../runtime/lstm/fusedLSTM.ts';
import { hasLstmSummary, lstmSummary } from '../runtime/lstm/lstmSummary.ts';
import type { NetworkWeights } from './NetworkWeights.ts';

export type NetworkInputs = {
  /** [B,T,F] */
  readonly sequence: tf.Tensor3D;
  /** The sequence of each row of `context`, in place of k thresholds for all. */
  readonly sequenceOf?: tf.Tensor1D;
  /** [kB,C]: k thresholds, first all rows at the first one. The LSTM runs once per row. */
  readonly context: tf.Tensor2D;
  /** [kB,1]: ln(sigma(600) sqrt(H) / theta) */
  readonly baseline: tf.Tensor2D;
};

/** All [kB,K]. Opportunity logit = baseline + residual. */
export type NetworkLogits = { readonly baseline: tf.Tensor2D; readonly residual: tf.Tensor2D; readonly direction: tf.Tensor2D };

/** [B,T,F] -> [B,2H]: the last state, then an attention-weighted mean of all states. */
export function summarizeSequence(w: NetworkWeights, sequence: tf.Tensor3D): tf.Tensor2D {
  if (hasLstmSummary()) {
    const [kernel, recurrentKernel, bias] = [w['lstm/kernel'], w['lstm/recurrent_kernel'], w['lstm/bias']];
    return lstmSummary({ x: sequence, kernel, recurrentKernel, bias, attention: w['attention/kernel'] });
  }
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
export function forward(w: NetworkWeights, { sequence, sequenceOf, context, baseline }: NetworkInputs): NetworkLogits {
  const summary = summarizeSequence(w, sequence);
  const thresholds = context.shape[0] / sequence.shape[0];
  const repeated =
    sequenceOf !== undefined ? tf.gather(summary, sequenceOf) : thresholds === 1 ? summary : tf.tile(summary, [thresholds, 1]);
  const trunk = runTrunk(w, repeated, context); // [kB,D]
  const adapters = dense(trunk, w['adapters/kernel'], w['adapters/bias'], 'relu'); // [kB,K*r]
  const joined = tf.concat([trunk, adapters], 1) as tf.Tensor2D;
  return {
    baseline: dense(baseline, w['baseline/kernel'], w['baseline/bias'], 'linear'),
    residual: dense(joined, w['opportunity/kernel'], w['opportunity/bias'], 'linear'),
    direction: dense(joined, w['direction/kernel'], w['direction/bias'], 'linear'),
  };
}

/**
 * x times kernel plus bias, with gradients of its own: TensorFlow.js asks for products of transposed matrices, for which its wasm backend has only
 * a plain loop, which took a fifth of a training step.
 */
const linear = tf.customGrad((x, kernel, bias, save) => {
  (save as tf.GradSaveFunc)([x as tf.Tensor, kernel as tf.Tensor]);
  const value = tf.fused.matMul({ a: x as tf.Tensor2D, b: kernel as tf.Tensor2D, bias: bias as tf.Tensor });
  const gradFunc = (dy: tf.Tensor, saved: tf.Tensor[]): tf.Tensor[] => {
    const [input, weights] = saved as [tf.Tensor2D, tf.Tensor2D];
    return [tf.matMul(dy, tf.transpose(weights)), tf.matMul(tf.transpose(input), dy), tf.sum(dy, 0)];
  };
  return { value, gradFunc };
});

function dense(x: tf.Tensor2D, kernel: tf.Tensor, bias: tf.Tensor, activation: 'relu' | 'linear'): tf.Tensor2D {
  const sums = linear(x, kernel, bias) as tf.Tensor2D;
  // A leak of 0 is relu. The relu of the wasm backend, fused or not, returns 0 for NaN, which would look like a valid forecast.
  return activation === 'relu' ? tf.leakyRelu(sums, 0) : sums;
}
