import * as tf from '@tensorflow/tfjs-core';
import { forward } from './forward.ts';
import type { NetworkOutput, NetworkSpec } from './NetworkSpec.ts';
import { WEIGHT_NAMES, weightShapes, type NetworkWeights, type WeightArrays } from './NetworkWeights.ts';

/** Rows for the network, each array row-major over the batch. */
export type NetworkBatch = {
  readonly size: number;
  /** [B,T,F] */
  readonly sequence: Float32Array;
  /** [B,C] */
  readonly context: Float32Array;
  /** [B] */
  readonly baseline: Float32Array;
  /** Horizon bucket of each row. */
  readonly heads: ArrayLike<number>;
};

/** A version's weights on the backend's device, ready to run. Holds tensors until `dispose`. */
export class Network {
  readonly spec: NetworkSpec;
  readonly #weights: NetworkWeights;

  constructor(spec: NetworkSpec, weights: WeightArrays) {
    this.spec = spec;
    const shapes = weightShapes(spec);
    const entries = WEIGHT_NAMES.map((name) => [name, tf.keep(tf.tensor(weights[name], [...shapes[name]]))] as const);
    this.#weights = Object.fromEntries(entries) as NetworkWeights;
  }

  /** Logits of every row under its own head. Leaves no tensor behind. */
  run(batch: NetworkBatch): NetworkOutput[] {
    const { steps, sequenceColumns, contextColumns, heads: K } = this.spec;
    const [baseline, residual, direction] = tf.tidy(() => {
      const logits = forward(this.#weights, {
        sequence: tf.tensor3d(batch.sequence, [batch.size, steps, sequenceColumns]),
        context: tf.tensor2d(batch.context, [batch.size, contextColumns]),
        baseline: tf.tensor2d(batch.baseline, [batch.size, 1]),
      });
      return [logits.baseline.dataSync(), logits.residual.dataSync(), logits.direction.dataSync()];
    });
    return Array.from({ length: batch.size }, (_, row) => {
      const head = batch.heads[row] ?? 0;
      const at = row * K + head;
      return {
        head,
        baselineLogit: baseline?.[at] ?? NaN,
        residualLogit: residual?.[at] ?? NaN,
        directionLogit: direction?.[at] ?? NaN,
      };
    });
  }

  dispose(): void {
    for (const name of WEIGHT_NAMES) this.#weights[name].dispose();
  }
}
