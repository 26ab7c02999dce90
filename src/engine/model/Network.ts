import * as tf from '@tensorflow/tfjs-core';
import { lstmTrunk, hasLstmTrunk } from '../runtime/lstm/lstmTrunk.ts';
import {
  type NetworkOutput,
  type NetworkSpec,
  WEIGHT_NAMES,
  weightShapes,
  type NetworkWeights,
  type WeightArrays,
} from './NetworkWeights.ts';
import { forward } from './forward.ts';
import { Heads } from './Heads.ts';

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

/** A version's weights on the backend's device, ready to run. Holds tensors until `dispose`. */
export class Network {
  readonly spec: NetworkSpec;
  readonly #heads: Heads;
  readonly #weights: NetworkWeights;
  readonly #choice: ReadoutChoice;

  constructor(spec: NetworkSpec, weights: WeightArrays, choice = new ReadoutChoice()) {
    this.spec = spec;
    this.#heads = new Heads(spec, weights);
    const shapes = weightShapes(spec);
    const entries = WEIGHT_NAMES.map((name) => [name, tf.keep(tf.tensor(weights[name], [...shapes[name]]))] as const);
    this.#weights = Object.fromEntries(entries) as NetworkWeights;
    this.#choice = choice;
  }

  /** Logits of every row under its own head. Leaves no tensor behind. */
  run(batch: NetworkBatch, readout: ReadoutName = this.#choice.of(batch.size)): NetworkOutput[] {
    return readout === 'tensors' ? this.#runOnTensors(batch) : this.#heads.read(this.#runTrunk(batch), batch);
  }

  /** [B,D] */
  #runTrunk({ size, sequence, sequenceOf, context: columns }: NetworkBatch): Float32Array {
    const { steps, sequenceColumns, contextColumns } = this.spec;
    const w = this.#weights;
    const x = tf.tensor3d(sequence, [(sequenceOf?.[size - 1] ?? size - 1) + 1, steps, sequenceColumns]);
    const context = tf.tensor2d(columns, [size, contextColumns]);
    let trunk: tf.Tensor | undefined;
    try {
      const layer = { kernel: w['lstm/kernel'], recurrentKernel: w['lstm/recurrent_kernel'], bias: w['lstm/bias'] };
      const rest = { attention: w['attention/kernel'], trunkKernel: w['trunk/kernel'], trunkBias: w['trunk/bias'] };
      trunk = lstmTrunk({ x, context, ...layer, ...rest }, sequenceOf);
      return trunk.dataSync<'float32'>();
    } finally {
      tf.dispose([x, context]);
      trunk?.dispose();
    }
  }

  #runOnTensors(batch: NetworkBatch): NetworkOutput[] {
    const { steps, sequenceColumns, contextColumns, heads: K } = this.spec;
    const sequences = batch.sequence.length / (steps * sequenceColumns);
    let values: Float32Array[] = [];
    // Returns nothing, because tidy would search every element of returned arrays for tensors.
    tf.tidy(() => {
      const logits = forward(this.#weights, {
        sequence: tf.tensor3d(batch.sequence, [sequences, steps, sequenceColumns]),
        ...(batch.sequenceOf === undefined ? {} : { sequenceOf: tf.tensor1d(batch.sequenceOf, 'int32') }),
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

/** How a network runs: `fused`, up to the trunk in one kernel (lstmTrunk); or `tensors`, TensorFlow.js ops over the whole batch (forward). */
export type ReadoutName = 'fused' | 'tensors';

/** Chooses the readout of a batch: the fastest one measured at the largest batch size that is not above its size. */
export class ReadoutChoice {
  #measured: readonly { readonly batch: number; readonly chosen: ReadoutName }[] = [];

  of(batch: number): ReadoutName {
    return this.#measured.findLast((measured) => measured.batch <= batch)?.chosen ?? (hasLstmTrunk() ? 'fused' : 'tensors');
  }

  learn(batch: number, chosen: ReadoutName): void {
    const others = this.#measured.filter((measured) => measured.batch !== batch);
    this.#measured = [...others, { batch, chosen }].sort((a, b) => a.batch - b.batch);
  }
}
