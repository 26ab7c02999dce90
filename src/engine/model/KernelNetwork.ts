import type { TrunkProgram } from '../runtime/lstm/SimdLstmProgram.ts';
import { Heads } from './Heads.ts';
import type { Network, NetworkBatch } from './Network.ts';
import type { NetworkOutput, NetworkSpec, WeightArrays } from './NetworkWeights.ts';

/** A version on the kernel alone, without TensorFlow.js. The answers have the bits of a `Network` on WebAssembly. */
export class KernelNetwork implements Pick<Network, 'spec' | 'run'> {
  readonly spec: NetworkSpec;
  readonly #weights: WeightArrays;
  readonly #heads: Heads;
  readonly #program: TrunkProgram;

  constructor(spec: NetworkSpec, weights: WeightArrays, program: TrunkProgram) {
    this.spec = spec;
    this.#weights = weights;
    this.#heads = new Heads(spec, weights);
    this.#program = program;
  }

  run(batch: NetworkBatch): NetworkOutput[] {
    const { steps, sequenceColumns, units } = this.spec;
    const w = this.#weights;
    const [kernel, recurrentKernel, bias] = [w['lstm/kernel'], w['lstm/recurrent_kernel'], w['lstm/bias']];
    const trunk = this.#program.forwardTrunk(
      {
        batch: batch.sequence.length / (steps * sequenceColumns),
        steps,
        columns: sequenceColumns,
        units,
        x: batch.sequence,
        kernel,
        recurrentKernel,
        bias,
        returnSequences: true,
        weightIds: [kernel, recurrentKernel, bias],
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
