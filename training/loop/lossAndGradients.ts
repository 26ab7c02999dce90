import * as tf from '@tensorflow/tfjs-core';
// Registers the gradients of the TF.js kernels; its core registers none.
import '@tensorflow/tfjs-layers';
import { forward } from '../../src/engine/model/forward.ts';
import {
  type NetworkSpec,
  WEIGHT_NAMES,
  weightShapes,
  type NetworkWeights,
  type WeightArrays,
  type WeightName,
} from '../../src/engine/model/NetworkWeights.ts';
import { BATCH_THRESHOLDS, type Batch } from './Batch.ts';

/** The skip input stays at the fitted baseline, so that the contribution of the network is the residual. */
const TRAINED_WEIGHTS = WEIGHT_NAMES.filter((name) => !name.startsWith('baseline/'));

/** Weight of the direction's cross entropy relative to the opportunity's. */
export const DIRECTION_WEIGHT = 0.1;

export type LossAndGradients = { readonly loss: number; readonly gradients: Partial<Record<WeightName, Float32Array>> };

/** Mean cross entropy of a batch and its gradient with respect to every trained weight. Disposes all its tensors. */
export function lossAndGradients(spec: NetworkSpec, weights: WeightArrays, batch: Batch): LossAndGradients {
  const shapes = weightShapes(spec);
  const { size: B } = batch;
  const entries = BATCH_THRESHOLDS * B;
  const K = spec.heads;
  const result = tf.tidy(() => {
    const tensors = Object.fromEntries(WEIGHT_NAMES.map((name) => [name, tf.tensor(weights[name], [...shapes[name]])])) as NetworkWeights;
    const inputs = {
      sequence: tf.tensor3d(batch.sequence, [B, spec.steps, spec.sequenceColumns]),
      context: tf.tensor2d(batch.context, [entries, spec.contextColumns]),
      baseline: tf.tensor2d(batch.baseline, [entries, 1]),
    };
    const perHead = (values: Float32Array): tf.Tensor2D => tf.tensor2d(values, [entries, K]);
    const [headMask, opportunity, directionMask, up] = [batch.headMask, batch.opportunity, batch.directionMask, batch.up].map(perHead) as [
      tf.Tensor2D,
      tf.Tensor2D,
      tf.Tensor2D,
      tf.Tensor2D,
    ];
    const loss = (...trained: tf.Tensor[]): tf.Scalar => {
      const w = { ...tensors, ...Object.fromEntries(TRAINED_WEIGHTS.map((name, i) => [name, trained[i]])) } as NetworkWeights;
      const logits = forward(w, inputs);
      const total = tf.add(logits.baseline, logits.residual);
      const ofOpportunity = maskedCrossEntropy(total, opportunity, headMask);
      const ofDirection = maskedCrossEntropy(logits.direction, up, directionMask);
      return tf.div(tf.add(ofOpportunity, tf.mul(ofDirection, DIRECTION_WEIGHT)), entries);
    };
    const { value, grads } = tf.valueAndGrads(loss)(TRAINED_WEIGHTS.map((name) => tensors[name]));
    return { loss: value.dataSync()[0] as number, gradients: grads.map((gradient) => gradient.dataSync() as Float32Array) };
  });
  return {
    loss: result.loss,
    gradients: Object.fromEntries(TRAINED_WEIGHTS.map((name, i) => [name, result.gradients[i] as Float32Array])),
  };
}

/** Sum over the mask of -(y ln p + (1-y) ln(1-p)) with p = sigmoid(z): softplus(z) - y z. */
function maskedCrossEntropy(z: tf.Tensor, y: tf.Tensor, mask: tf.Tensor): tf.Scalar {
  return tf.sum(tf.mul(mask, tf.sub(tf.softplus(z), tf.mul(y, z))));
}
