import * as tf from '@tensorflow/tfjs-core';
import { buildLayersModel } from '../src/engine/model/buildLayersModel.ts';
import type { NetworkSpec } from '../src/engine/model/NetworkWeights.ts';
import type { Batch } from '../training/loop/Batch.ts';
import { initialWeights } from '../training/loop/scaling.ts';

/** Loss and gradients on one batch of the same network, built as a LayersModel of stock layers. */
export function stockTrainingStep(spec: NetworkSpec, batch: Batch): { run(): void; dispose(): void } {
  const baselines = Array.from({ length: spec.heads }, () => ({ intercept: 0, slope: 1 }));
  const model = buildLayersModel(spec, initialWeights(spec, baselines, 1));
  const inputs = [
    tf.tensor3d(batch.sequence, [batch.size, spec.steps, spec.sequenceColumns]),
    tf.tensor2d(batch.context.subarray(0, batch.size * spec.contextColumns), [batch.size, spec.contextColumns]),
    tf.tensor2d(batch.baseline.subarray(0, batch.size), [batch.size, 1]),
  ];
  return {
    run: () =>
      tf.tidy(() => {
        const { grads } = tf.variableGrads(() => {
          const [opportunity] = model.apply(inputs, { training: true }) as tf.Tensor[];
          return tf.mean(tf.softplus(opportunity as tf.Tensor)) as tf.Scalar;
        });
        for (const gradient of Object.values(grads)) gradient.dataSync();
      }),
    dispose: () => {
      model.dispose();
      tf.dispose(inputs);
    },
  };
}
