import type { TrunkProgram } from '../runtime/lstm/SimdLstmProgram.ts';
import { Heads } from './Heads.ts';
import type { NetworkBatch, NetworkOutput, NetworkSpec, WeightArrays } from './NetworkWeights.ts';

/** A version on the kernel alone, without TensorFlow.js. The answers have the bits of a `Network` on WebAssembly. */
export class KernelNetwork {
  readonly spec: NetworkSpec;
  readonly #weights: WeightArrays;
  readonly #heads: Heads;
  readonly #program: TrunkProgram;
  /** Of this network: programs keep its packed weights as long as it lives. */
  readonly #weightIds = [{}, {}, {}] as const;

  constructor(spec: NetworkSpec, weights: WeightArrays, program: TrunkProgram) {
    this.spec = spec;
    this.#weights = weights;
    this.#heads = new Heads(spec, weights);
    this.#program = program;
  }

  run(batch: NetworkBatch): NetworkOutput[] {
    const { steps, sequenceColumns, units } = this.spec;
    const w = this.#weights;
    const trunk = this.#program.forwardTrunk(
      {
        batch: batch.sequence.length / (steps * sequenceColumns),
        steps,
        columns: sequenceColumns,
        units,
        x: batch.sequence,
        kernel: w['lstm/kernel'],
        recurrentKernel: w['lstm/recurrent_kernel'],
        bias: w['lstm/bias'],
        returnSequences: true,
        weightIds: this.#weightIds,
        tapeId: 0,
      },
      {
        context: batch.context,
        attention: w['attention/kernel'],
        kernel: w['trunk/kernel'],
        bias: w['trunk/bias'],
        sequenceOf: batch.sequenceOf,
      },
    );
    return this.#heads.read(trunk, batch);
  }
}
