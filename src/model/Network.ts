import * as tf from '@tensorflow/tfjs-core';
import { fusedLSTM } from '../runtime/fusedLSTM.ts';
import { pooledLSTM } from '../runtime/pooledLSTM.ts';
import { forward } from './forward.ts';
import type { NetworkOutput, NetworkSpec } from './NetworkSpec.ts';
import { WEIGHT_NAMES, weightShapes, type NetworkWeights, type WeightArrays } from './NetworkWeights.ts';
import { Readout } from './Readout.ts';
import { ReadoutChoice, type ReadoutName } from './ReadoutChoice.ts';

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
  readonly #readout: Readout;
  readonly #choice: ReadoutChoice;

  constructor(spec: NetworkSpec, weights: WeightArrays, choice = new ReadoutChoice()) {
    this.spec = spec;
    const shapes = weightShapes(spec);
    const entries = WEIGHT_NAMES.map((name) => [name, tf.keep(tf.tensor(weights[name], [...shapes[name]]))] as const);
    this.#weights = Object.fromEntries(entries) as NetworkWeights;
    this.#readout = new Readout(spec, weights);
    this.#choice = choice;
  }

  /** Logits of every row under its own head. Leaves no tensor behind. */
  run(batch: NetworkBatch, readout: ReadoutName = this.#choice.of(batch.size)): NetworkOutput[] {
    if (readout === 'tensors') return this.#runOnTensors(batch);
    const { size, context, baseline, heads } = batch;
    const values = this.#runLstm(batch, readout);
    const summaries = readout === 'pooled' ? values : this.#readout.pool(values, size);
    return Array.from({ length: size }, (_, row) => this.#readout.run(row, heads[row] ?? 0, summaries, context, baseline));
  }

  /** States [B,T,H], or pooled [B,2H]. */
  #runLstm({ size, sequence }: NetworkBatch, readout: 'plain' | 'pooled'): Float32Array {
    const { steps, sequenceColumns } = this.spec;
    const w = this.#weights;
    const x = tf.tensor3d(sequence, [size, steps, sequenceColumns]);
    let y: tf.Tensor | undefined;
    try {
      const layer = [x, w['lstm/kernel'], w['lstm/recurrent_kernel'], w['lstm/bias']] as const;
      y = readout === 'pooled' ? pooledLSTM(...layer, w['attention/kernel']) : fusedLSTM(...layer, true);
      return y.dataSync<'float32'>();
    } finally {
      x.dispose();
      y?.dispose();
    }
  }

  #runOnTensors(batch: NetworkBatch): NetworkOutput[] {
    const { steps, sequenceColumns, contextColumns, heads: K } = this.spec;
    let values: Float32Array[] = [];
    // Nothing is returned: tidy would look for tensors in every element of the arrays.
    tf.tidy(() => {
      const logits = forward(this.#weights, {
        sequence: tf.tensor3d(batch.sequence, [batch.size, steps, sequenceColumns]),
        context: tf.tensor2d(batch.context, [batch.size, contextColumns]),
        baseline: tf.tensor2d(batch.baseline, [batch.size, 1]),
      });
      values = [logits.baseline, logits.residual, logits.direction].map((tensor) => tensor.dataSync<'float32'>());
    });
    const [baseline, residual, direction] = values;
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
