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

/** Cell and hidden state after a section of steps, [B, H] each. */
type FinalStates = { readonly c: OpOutput; readonly h: OpOutput };

/** BlockLSTMV2 writes i, cs, f, o, ci, co and h, each [T, B, H]. */
const STATES = 7;
const C_STATES = 1;
const H_STATES = 6;
/** Maximum of these states per section without a gradient; beyond, allocating memory takes as long as the arithmetic. */
const MAX_STATE_BYTES = 16 * 1024 * 1024;

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
  readonly #maxStateBytes: number;

  constructor(binding: TensorflowBinding, maxStateBytes = MAX_STATE_BYTES) {
    this.#maxStateBytes = maxStateBytes;
    this.#ops = new TensorflowOps(binding);
    const peephole = { name: 'use_peephole', type: binding.TF_ATTR_BOOL, value: false };
    const type = this.#ops.type('T', binding.TF_FLOAT);
    this.#attrs = [{ name: 'cell_clip', type: binding.TF_ATTR_FLOAT, value: -1 }, peephole, type];
    this.#gradAttrs = [peephole, type];
  }

  /** [B, T, H] with returnSequences, else [B, H]. The caller frees the result. */
  forward(call: TensorflowLstmCall): OpOutput {
    this.#ops.trim();
    return call.tapeId > 0 ? this.#forwardOnTape(call) : this.#forwardInParts(call);
  }

  #forwardOnTape(call: TensorflowLstmCall): OpOutput {
    const { batch: B, steps: T, units: H } = call;
    const tape = this.#runBlock(call);
    const h = tape.states[H_STATES];
    const y = call.returnSequences ? this.#ops.swapFirstAxes(h.id, [T, B, H]) : this.#stepOf(h, T - 1, call);
    this.#keep(call.tapeId, tape);
    return y;
  }

  /** Runs sections of steps one after the other; each starts from the final states of the one before. */
  #forwardInParts(call: TensorflowLstmCall): OpOutput {
    const { batch: B, steps: T, columns: F, units: H, returnSequences } = call;
    const span = Math.max(1, Math.floor(this.#maxStateBytes / (STATES * B * H * 4)));
    const given = this.#timeMajorInputs(call);
    const parts: OpOutput[] = [];
    let ended: FinalStates | undefined;
    for (let from = 0; from < T; from += span) {
      const steps = Math.min(span, T - from);
      const xTimeMajor = steps === T ? given.xTimeMajor : this.#ops.slice(given.xTimeMajor.id, [from, 0, 0], [steps, B, F]);
      const inputs = this.#blockInputs({ ...call, steps }, { ...given, xTimeMajor }, ended);
      const states = this.#ops.run('BlockLSTMV2', this.#attrs, inputs, STATES);
      this.#ops.free(...(steps === T ? [] : [xTimeMajor]), ...(ended === undefined ? [] : [ended.c, ended.h]));
      const rowsOfLast = (which: number): OpOutput => this.#stepOf(states[which], steps - 1, call);
      ended = from + steps < T ? { c: rowsOfLast(C_STATES), h: rowsOfLast(H_STATES) } : undefined;
      if (returnSequences) parts.push(...states.splice(H_STATES, 1));
      else if (ended === undefined) parts.push(rowsOfLast(H_STATES));
      this.#ops.free(...states);
    }
    this.#ops.free(given.xTimeMajor, given.weights);
    if (!returnSequences) return parts[0];
    const all = parts.length === 1 ? parts[0] : this.#ops.stackRows(...parts.map(({ id }) => id));
    const y = this.#ops.swapFirstAxes(all.id, [T, B, H]);
    this.#ops.free(all, ...(parts.length === 1 ? [] : parts));
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
    const given = this.#timeMajorInputs(call);
    return { ...given, states: this.#ops.run('BlockLSTMV2', this.#attrs, this.#blockInputs(call, given), STATES) };
  }

  #timeMajorInputs({ batch: B, steps: T, columns: F, ...call }: TensorflowLstmCall): TimeMajorInputs {
    return { xTimeMajor: this.#ops.swapFirstAxes(call.x, [B, T, F]), weights: this.#ops.stackRows(call.kernel, call.recurrentKernel) };
  }

  /** Starts from zeros, or from the final states of another section of steps. */
  #blockInputs(
    { batch: B, steps: T, units: H, bias }: TensorflowLstmCall,
    { xTimeMajor, weights }: TimeMajorInputs,
    before?: FinalStates,
  ): TensorId[] {
    const zeros = this.#ops.zeros(B, H);
    const peephole = this.#ops.zeros(H);
    const states = [before?.c.id ?? zeros, before?.h.id ?? zeros];
    return [this.#ops.int64Scalar(T), xTimeMajor.id, ...states, weights.id, peephole, peephole, peephole, bias];
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
