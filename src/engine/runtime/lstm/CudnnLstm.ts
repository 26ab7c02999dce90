import type { LstmShape } from './LstmProgram.ts';
import { type OpAttr, type OpOutput, type TensorflowBinding, type TensorId, TensorflowOps } from './TensorflowOps.ts';

export type CudnnLstmCall = LstmShape & {
  readonly x: TensorId;
  readonly returnSequences: boolean;
  /** Objects whose identities represent the values of kernel, recurrent kernel and bias. */
  readonly weightIds: readonly [object, object, object];
  /** Reads the values of the three; called only if they are not cached. */
  read(): Float32Array[];
};

type Params = { readonly ids: CudnnLstmCall['weightIds']; readonly id: TensorId };

/** Maximum of weight sets kept on the device; a service has only a few models. */
const MAX_PARAMS = 16;

/**
 * Forward pass of FusedLSTM by TensorFlow's op CudnnRNN (NVIDIA's library, GPU only). Uses version 1 of the op, because versions 2 and 3 have
 * an int8 output that tfjs-node-gpu does not support. No backward pass: training uses BlockLSTMV2.
 */
export class CudnnLstm {
  readonly #binding: TensorflowBinding;
  readonly #ops: TensorflowOps;
  readonly #attrs: readonly OpAttr[];
  readonly #params: Params[] = [];

  constructor(binding: TensorflowBinding) {
    this.#binding = binding;
    this.#ops = new TensorflowOps(binding);
    const { TF_ATTR_STRING: text, TF_ATTR_FLOAT: float, TF_ATTR_INT: int, TF_ATTR_BOOL: bool } = binding;
    this.#attrs = [
      this.#ops.type('T', binding.TF_FLOAT),
      { name: 'rnn_mode', type: text, value: 'lstm' },
      { name: 'input_mode', type: text, value: 'linear_input' },
      { name: 'direction', type: text, value: 'unidirectional' },
      { name: 'dropout', type: float, value: 0 },
      { name: 'seed', type: int, value: 0 },
      { name: 'seed2', type: int, value: 0 },
      { name: 'is_training', type: bool, value: false },
    ];
  }

  /** [B, T, H] with returnSequences, else [B, H]. The caller frees the result. */
  forward(call: CudnnLstmCall): OpOutput {
    this.#ops.trim();
    const { batch: B, steps: T, columns: F, units: H } = call;
    const x = this.#ops.swapFirstAxes(call.x, [B, T, F]);
    const state = this.#ops.zeros(1, B, H);
    const inputs = [x.id, state, state, this.#paramsOf(call)];
    const [h, lastH, lastC, reserved] = this.#ops.run('CudnnRNN', this.#attrs, inputs, 4) as [OpOutput, OpOutput, OpOutput, OpOutput];
    const y = call.returnSequences ? this.#ops.swapFirstAxes(h.id, [T, B, H]) : this.#ops.reshape(lastH.id, B, H);
    this.#ops.free(x, h, lastH, lastC, reserved);
    return y;
  }

  #paramsOf(call: CudnnLstmCall): TensorId {
    const at = this.#params.findIndex(({ ids }) => ids.every((id, index) => id === call.weightIds[index]));
    const known = at < 0 ? undefined : this.#params.splice(at, 1)[0];
    const params = known ?? { ids: call.weightIds, id: this.#makeParams(call) };
    this.#params.push(params);
    if (this.#params.length > MAX_PARAMS) this.#binding.deleteTensor(this.#params.shift()!.id);
    return params.id;
  }

  #makeParams(call: CudnnLstmCall): TensorId {
    const [kernel, recurrentKernel, bias] = call.read() as [Float32Array, Float32Array, Float32Array];
    const values = cudnnParams(call, kernel, recurrentKernel, bias);
    return this.#binding.createTensor([values.length], this.#binding.TF_FLOAT, values);
  }
}

/**
 * Converts Keras weights to the order of cuDNN: the input matrices [H, F] of the gates i, f, c, o, then their recurrent matrices [H, H], then
 * the input biases (the Keras bias) and the recurrent biases (0).
 */
export function cudnnParams(
  { columns: F, units: H }: Pick<LstmShape, 'columns' | 'units'>,
  kernel: Float32Array,
  recurrentKernel: Float32Array,
  bias: Float32Array,
): Float32Array {
  const params = new Float32Array(4 * H * (F + H + 2));
  let at = 0;
  for (const [weights, rows] of [
    [kernel, F],
    [recurrentKernel, H],
  ] as const)
    for (let gate = 0; gate < 4; gate++)
      for (let unit = 0; unit < H; unit++) for (let row = 0; row < rows; row++) params[at++] = weights[row * 4 * H + gate * H + unit]!;
  params.set(bias, at);
  return params;
}
