import { type OpAttr, type OpOutput, type TensorflowBinding, type TensorId, TensorflowOps } from './TensorflowOps.ts';
import type { LstmShape } from './LstmProgram.ts';

/** One call on TensorFlow's tensors; shapes as in LstmCall. */
export type TensorflowLstmCall = LstmShape & {
  readonly x: TensorId;
  readonly kernel: TensorId;
  readonly recurrentKernel: TensorId;
  readonly bias: TensorId;
  readonly returnSequences: boolean;
  readonly tapeId: number;
};

/** [T, B, F], and kernel stacked on recurrent kernel. */
type TimeMajorInputs = { readonly xTimeMajor: OpOutput; readonly weights: OpOutput };

/** Values of the forward call that BlockLSTMGradV2 needs. */
type Tape = TimeMajorInputs & { readonly states: readonly OpOutput[] };

/** BlockLSTMV2 writes i, cs, f, o, ci, co and h, each [T, B, H]. */
const STATES = 7;
const H_STATES = 6;

/** Maximum of forward calls whose states are kept for a gradient; an older one runs again if its gradient is requested. */
const MAX_TAPES = 4;

/**
 * FusedLSTM by TensorFlow's BlockLSTMV2 and BlockLSTMGradV2, on CPU and CUDA. Their weight matrix is kernel stacked on recurrent kernel, with
 * gates stored as i, f, c, o like in Keras (the op's outputs have another order). Time-major, so B > 1 costs a transpose in each direction.
 */
export class TensorflowLstm {
  readonly #ops: TensorflowOps;
  readonly #attrs: readonly OpAttr[];
  readonly #gradAttrs: readonly OpAttr[];
  readonly #tapes = new Map<number, Tape>();

  constructor(binding: TensorflowBinding) {
    this.#ops = new TensorflowOps(binding);
    const peephole = { name: 'use_peephole', type: binding.TF_ATTR_BOOL, value: false };
    const type = this.#ops.type('T', binding.TF_FLOAT);
    this.#attrs = [{ name: 'cell_clip', type: binding.TF_ATTR_FLOAT, value: -1 }, peephole, type];
    this.#gradAttrs = [peephole, type];
  }

  /** [B, T, H] with returnSequences, else [B, H]. The caller frees the result. */
  forward(call: TensorflowLstmCall): OpOutput {
    this.#ops.trim();
    const { batch: B, steps: T, units: H } = call;
    const tape = this.#runBlock(call);
    const h = tape.states[H_STATES];
    const y = call.returnSequences ? this.#ops.swapFirstAxes(h.id, [T, B, H]) : this.#stepOf(h, T - 1, call);
    if (call.tapeId > 0) this.#keep(call.tapeId, tape);
    else this.#free(tape);
    return y;
  }

  /** [B, H] of one step of [T, B, H]. */
  #stepOf(states: OpOutput, step: number, { batch: B, units: H }: LstmShape): OpOutput {
    const slice = this.#ops.slice(states.id, [step, 0, 0], [1, B, H]);
    const row = this.#ops.reshape(slice.id, B, H);
    this.#ops.free(slice);
    return row;
  }

  /** Gradients of x, kernel, recurrentKernel and bias for `dy`, which has the layout of the result of `forward`. The caller frees them. */
  backward(call: TensorflowLstmCall, dy: TensorId): [OpOutput, OpOutput, OpOutput, OpOutput] {
    this.#ops.trim();
    const { batch: B, steps: T, columns: F, units: H } = call;
    const tape = this.#tapes.get(call.tapeId) ?? this.#runBlock(call);
    this.#tapes.delete(call.tapeId);
    const dh = this.#gradientOfStates(call, dy);
    const inputs = [...this.#blockInputs(call, tape), ...tape.states.map(({ id }) => id), this.#ops.zeros(T, B, H), dh.id];
    const [dxTimeMajor, dcs, dhBefore, dWeights, dwci, dwcf, dwco, dBias] = this.#ops.run(
      'BlockLSTMGradV2',
      this.#gradAttrs,
      inputs,
      8,
    ) as [OpOutput, OpOutput, OpOutput, OpOutput, OpOutput, OpOutput, OpOutput, OpOutput];
    const dx = this.#ops.swapFirstAxes(dxTimeMajor.id, [T, B, F]);
    const dKernel = this.#ops.slice(dWeights.id, [0, 0], [F, 4 * H]);
    const dRecurrent = this.#ops.slice(dWeights.id, [F, 0], [H, 4 * H]);
    this.#ops.free(dh, dxTimeMajor, dcs, dhBefore, dWeights, dwci, dwcf, dwco);
    this.#free(tape);
    return [dx, dKernel, dRecurrent, dBias];
  }

  /** [T, B, H] from dy: dy itself, time-major, or zeros except for the last step. */
  #gradientOfStates({ batch: B, steps: T, units: H, returnSequences }: TensorflowLstmCall, dy: TensorId): OpOutput {
    if (returnSequences) return this.#ops.swapFirstAxes(dy, [B, T, H]);
    const row = this.#ops.reshape(dy, 1, B * H);
    const all = T === 1 ? row : this.#ops.stackRows(this.#ops.zeros(T - 1, B * H), row.id);
    const dh = this.#ops.reshape(all.id, T, B, H);
    this.#ops.free(...(all === row ? [row] : [row, all]));
    return dh;
  }

  #runBlock(call: TensorflowLstmCall): Tape {
    const { batch: B, steps: T, columns: F } = call;
    const given = {
      xTimeMajor: this.#ops.swapFirstAxes(call.x, [B, T, F]),
      weights: this.#ops.stackRows(call.kernel, call.recurrentKernel),
    };
    return { ...given, states: this.#ops.run('BlockLSTMV2', this.#attrs, this.#blockInputs(call, given), STATES) };
  }

  #blockInputs({ batch: B, steps: T, units: H, bias }: TensorflowLstmCall, { xTimeMajor, weights }: TimeMajorInputs): TensorId[] {
    const zeros = this.#ops.zeros(B, H);
    const peephole = this.#ops.zeros(H);
    return [this.#ops.int64Scalar(T), xTimeMajor.id, zeros, zeros, weights.id, peephole, peephole, peephole, bias];
  }

  #keep(tapeId: number, tape: Tape): void {
    this.#tapes.set(tapeId, tape);
    for (const [oldest, kept] of this.#tapes) {
      if (this.#tapes.size <= MAX_TAPES) return;
      this.#tapes.delete(oldest);
      this.#free(kept);
    }
  }

  #free({ xTimeMajor, weights, states }: Tape): void {
    this.#ops.free(xTimeMajor, weights, ...states);
  }
}
