import * as tf from '@tensorflow/tfjs-core';
import { trunkProgram } from '../runtime/lstm/lstmTrunk.ts';
import {
  type NetworkBatch,
  type NetworkOutput,
  type NetworkSpec,
  WEIGHT_NAMES,
  weightShapes,
  type NetworkWeights,
  type WeightArrays,
} from './NetworkWeights.ts';
import { forward } from './forward.ts';
import { KernelNetwork } from './KernelNetwork.ts';

/** A version on the opened backend, ready to run. Holds tensors from the first run on TensorFlow.js ops until `dispose`. */
export class Network {
  readonly spec: NetworkSpec;
  readonly #arrays: WeightArrays;
  readonly #choice: ReadoutChoice;
  /** On the program of the backend, if it has one. */
  readonly #fused: KernelNetwork | undefined;
  #tensors: NetworkWeights | undefined;

  constructor(spec: NetworkSpec, weights: WeightArrays, choice = new ReadoutChoice()) {
    this.spec = spec;
    this.#arrays = weights;
    this.#choice = choice;
    const program = trunkProgram();
    this.#fused = program && new KernelNetwork(spec, weights, program);
  }

  /** Logits of every row under its own head. Leaves no tensor behind but those of the weights. */
  run(batch: NetworkBatch, readout: ReadoutName = this.#choice.of(batch.size)): NetworkOutput[] {
    return readout === 'fused' && this.#fused !== undefined ? this.#fused.run(batch) : this.#runOnTensors(batch);
  }

  get #weights(): NetworkWeights {
    if (this.#tensors !== undefined) return this.#tensors;
    const shapes = weightShapes(this.spec);
    const entries = WEIGHT_NAMES.map((name) => [name, tf.keep(tf.tensor(this.#arrays[name], [...shapes[name]]))] as const);
    return (this.#tensors = Object.fromEntries(entries) as NetworkWeights);
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
    tf.dispose(this.#tensors);
    this.#tensors = undefined;
  }
}

/** How a network runs: `fused`, up to the trunk by one program (trunkProgram); or `tensors`, TensorFlow.js ops over the whole batch (forward). */
export type ReadoutName = 'fused' | 'tensors';

/** Chooses the readout of a batch: the fastest one measured at the largest batch size that is not above its size. */
export class ReadoutChoice {
  #measured: readonly { readonly batch: number; readonly chosen: ReadoutName }[] = [];

  of(batch: number): ReadoutName {
    return this.#measured.findLast((measured) => measured.batch <= batch)?.chosen ?? (trunkProgram() === undefined ? 'tensors' : 'fused');
  }

  learn(batch: number, chosen: ReadoutName): void {
    const others = this.#measured.filter((measured) => measured.batch !== batch);
    this.#measured = [...others, { batch, chosen }].sort((a, b) => a.batch - b.batch);
  }
}
