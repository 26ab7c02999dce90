import * as tf from '@tensorflow/tfjs-core';
// Registers the gradients of the TF.js kernels; its core registers none.
import '@tensorflow/tfjs-layers';
import { runTrunk, summarizeSequence } from '../../src/engine/model/forward.ts';
import {
  type NetworkSpec,
  weightShapes,
  type NetworkWeights,
  type WeightArrays,
  type WeightName,
} from '../../src/engine/model/NetworkWeights.ts';
import { BATCH_THRESHOLDS, type Batch } from './Batch.ts';
import { HeadPass } from './HeadPass.ts';

/** Up to the trunk; the gradients of the others come from HeadPass. */
const TRUNK_WEIGHTS = ['lstm/kernel', 'lstm/recurrent_kernel', 'lstm/bias', 'attention/kernel', 'trunk/kernel', 'trunk/bias'] as const;

export type LossAndGradients = { readonly loss: number; readonly gradients: Partial<Record<WeightName, Float32Array>> };

/**
 * Mean cross entropy of a batch and its gradient with respect to every trained weight. The skip input stays at the fitted baseline, so that the
 * contribution of the network is the residual. Disposes all its tensors.
 */
export function lossAndGradients(spec: NetworkSpec, weights: WeightArrays, batch: Batch): LossAndGradients {
  const shapes = weightShapes(spec);
  const { size: B } = batch;
  const pass = new HeadPass(spec);
  const gradients: Partial<Record<WeightName, Float32Array>> = pass.emptyGradients();
  let loss = 0;
  /** The heads are computed on arrays, forward and backward in one pass over the rows. */
  const headLoss = tf.customGrad((trunk) => {
    const values = (trunk as tf.Tensor).dataSync<'float32'>();
    const ofTrunk = new Float32Array(values.length);
    for (let entry = 0; entry < BATCH_THRESHOLDS * B; entry++) {
      pass.run(weights, values, entry * spec.dense, batch.head[entry % B], batch.baseline[entry]);
      const [isHit, isUp] = [batch.isHit[entry] === 1 ? 1 : 0, batch.isUp[entry] === 1] as const;
      loss += pass.addGradients(
        weights,
        gradients as ReturnType<HeadPass['emptyGradients']>,
        isHit,
        isUp,
        1 / (BATCH_THRESHOLDS * B),
        ofTrunk,
      );
    }
    return { value: tf.scalar(loss), gradFunc: () => tf.tensor(ofTrunk, (trunk as tf.Tensor).shape) };
  });
  // Returns nothing, because TensorFlow.js looks for tensors in each number of what it returns.
  tf.tidy(() => {
    const sequence = tf.tensor3d(batch.sequence, [B, spec.steps, spec.sequenceColumns]);
    const context = tf.tensor2d(batch.context, [BATCH_THRESHOLDS * B, spec.contextColumns]);
    const lossOf = (...trained: tf.Tensor[]): tf.Scalar => {
      const w = Object.fromEntries(TRUNK_WEIGHTS.map((name, i) => [name, trained[i]])) as NetworkWeights;
      const summary = tf.tile(summarizeSequence(w, sequence), [BATCH_THRESHOLDS, 1]);
      return headLoss(runTrunk(w, summary, context));
    };
    const { grads } = tf.valueAndGrads(lossOf)(TRUNK_WEIGHTS.map((name) => tf.tensor(weights[name], [...shapes[name]])));
    for (const [i, name] of TRUNK_WEIGHTS.entries()) gradients[name] = grads[i].dataSync<'float32'>();
  });
  return { loss, gradients };
}
