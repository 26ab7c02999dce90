import { LstmMemory, type LstmCall, type LstmGradients, type LstmProgram } from './LstmProgram.ts';
import type { LstmModule } from './lstmModule.ts';
import type { SummaryCall, SummaryGradients, SummaryProgram } from './SummaryProgram.ts';

/** Rows per pass without a gradient; limits the memory of a large batch and keeps its states in the cache. */
const ROWS_AT_ONCE = 64;

/** Inputs of what follows the layer: context [rows, C], attention [units]; kernel [2 units + C, D] and bias [D] of the dense layer. */
export type TrunkCall = Readonly<Record<'context' | 'attention' | 'kernel' | 'bias', Float32Array>> & {
  /** The sequence of each row, ascending from 0 without gaps; absent: as many rows as sequences, in their order. */
  readonly sequenceOf?: Int32Array;
};

/** Number of rows of a call. */
export const trunkRows = ({ batch }: LstmCall, { sequenceOf }: TrunkCall): number => sequenceOf?.length ?? batch;

/** The sequences of rows, a shared one again for each of its rows: for a program that runs each row on its own. */
export function sequencesOf(
  { x, steps, columns }: LstmCall,
  { sequenceOf }: Pick<TrunkCall, 'sequenceOf'>,
  row: number,
  rows: number,
): Float32Array {
  const size = steps * columns;
  if (sequenceOf === undefined) return x.subarray(row * size, (row + rows) * size);
  const repeated = new Float32Array(rows * size);
  for (let i = 0; i < rows; i++) repeated.set(x.subarray(sequenceOf[row + i] * size, (sequenceOf[row + i] + 1) * size), i * size);
  return repeated;
}

/** LSTM, attention over its states and the dense layer after it, for a call with returnSequences: [rows, D]. */
export type TrunkProgram = { forwardTrunk(call: LstmCall, trunk: TrunkCall): Float32Array };

type Packed = { readonly ids: LstmCall['weightIds']; readonly floats: Float32Array };

/** Byte offsets of the buffers that every pass uses. */
type Offsets = { weights: number; bias: number; x: number; y: number; z: number; c: number; gates: number };

const roundUp = (value: number, multiple: number): number => Math.ceil(value / multiple) * multiple;

/** Sizes that follow from a call; see assembly/fusedLstm.ts for the layouts. */
function sizesOf(call: LstmCall) {
  const blocks = Math.ceil(call.units / 4);
  const depth = call.columns + call.units;
  return {
    blocks,
    depth,
    width: 16 * blocks,
    weights: 16 * blocks * (depth + 1),
    zFloats: roundUp(call.columns + 4 * blocks, 4),
    dzFloats: roundUp(depth, 16),
  };
}

const sameIds = (a: LstmCall['weightIds'], b: LstmCall['weightIds']): boolean => a[0] === b[0] && a[1] === b[1] && a[2] === b[2];

/**
 * FusedLSTM on the SIMD module. Packed weights are cached as long as their tensors live. Under a gradient tape, the states of the last
 * forward call are kept for its backward call, which runs the forward pass again if they were overwritten.
 */
export class SimdLstmProgram implements LstmProgram, TrunkProgram, SummaryProgram {
  readonly #module: LstmModule;
  readonly #memory: LstmMemory;
  readonly #packed = new WeakMap<object, Packed>();
  #loaded: LstmCall['weightIds'] | undefined;
  #traceOf = 0;

  constructor(module: LstmModule) {
    this.#module = module;
    this.#memory = new LstmMemory(module.memory);
  }

  forward(call: LstmCall): Float32Array {
    if (call.tapeId !== 0) return this.#statesOf(call, 0, call.batch, true);
    if (call.batch <= ROWS_AT_ONCE) return this.#statesOf(call, 0, call.batch, false);
    const rowLength = (call.returnSequences ? call.steps : 1) * call.units;
    const y = new Float32Array(call.batch * rowLength);
    for (let row = 0; row < call.batch; row += ROWS_AT_ONCE) {
      y.set(this.#statesOf(call, row, Math.min(ROWS_AT_ONCE, call.batch - row), false), row * rowLength);
    }
    return y;
  }

  /**
   * Runs the layer, attention over its states and the dense layer after it, for a call with returnSequences: [rows, D]. Only the result is
   * copied out of the module; the states are 96 times as many numbers. The layer runs once for each sequence.
   */
  forwardTrunk(call: LstmCall, trunkCall: TrunkCall): Float32Array {
    const memory = this.#memory;
    const { context, attention, kernel, bias, sequenceOf } = trunkCall;
    const { batch, steps, units } = call;
    const all = trunkRows(call, trunkCall);
    const [contextColumns, outputs] = [context.length / all, bias.length];
    const depth = 2 * units + contextColumns;
    const trunk = new Float32Array(all * outputs);
    for (let sequence = 0, row = 0; sequence < batch; sequence += ROWS_AT_ONCE) {
      const sequences = Math.min(ROWS_AT_ONCE, batch - sequence);
      let rows = sequences;
      if (sequenceOf !== undefined) for (rows = 0; sequenceOf[row + rows] < sequence + sequences;) rows++;
      const { y } = this.#run(call, sequence, sequences, false);
      const [attentionAt, scores, joined] = [memory.allocate(units), memory.allocate(roundUp(steps, 4)), memory.allocate(rows * depth)];
      // Without shared sequences, their summaries go where they are needed.
      const pooledDepth = sequenceOf === undefined ? depth : 2 * units;
      const pooled = sequenceOf === undefined ? joined : memory.allocate(sequences * pooledDepth);
      const [kernelAt, biasAt, out] = [memory.allocate(kernel.length), memory.allocate(outputs), memory.allocate(rows * outputs)];
      memory.ensure();
      memory.put(attentionAt, attention);
      memory.put(kernelAt, kernel);
      memory.put(biasAt, bias);
      for (let i = 0; i < rows; i++) {
        const from = (row + i) * contextColumns;
        memory.put(joined + 4 * (i * depth + 2 * units), context.subarray(from, from + contextColumns));
      }
      this.#module.pool(y, attentionAt, scores, pooled, 4 * pooledDepth, sequences, steps, units);
      for (let i = 0; sequenceOf !== undefined && i < rows; i++) {
        const from = pooled + 4 * pooledDepth * (sequenceOf[row + i] - sequence);
        memory.put(joined + 4 * i * depth, memory.view(from, pooledDepth));
      }
      this.#module.denseRelu(joined, 4 * depth, kernelAt, biasAt, out, rows, depth, outputs);
      trunk.set(memory.view(out, rows * outputs), row * outputs);
      row += rows;
    }
    return trunk;
  }

  forwardSummary(call: SummaryCall): Float32Array {
    const memory = this.#memory;
    const { batch, steps, units, attention } = call;
    const summary = new Float32Array(batch * 2 * units);
    const rowsAtOnce = call.tapeId === 0 ? ROWS_AT_ONCE : batch;
    for (let row = 0; row < batch; row += rowsAtOnce) {
      const rows = Math.min(rowsAtOnce, batch - row);
      const { y } = this.#run(call, row, rows, call.tapeId !== 0);
      const [kernel, scores, out] = [memory.allocate(units), memory.allocate(roundUp(steps, 4)), memory.allocate(rows * 2 * units)];
      memory.ensure();
      memory.put(kernel, attention);
      this.#module.pool(y, kernel, scores, out, 8 * units, rows, steps, units);
      summary.set(memory.view(out, rows * 2 * units), row * 2 * units);
    }
    return summary;
  }

  backward(call: LstmCall, dy: Float32Array): LstmGradients {
    return this.#gradients(call, dy);
  }

  backwardSummary(call: SummaryCall, dy: Float32Array): SummaryGradients {
    return this.#gradients(call, dy, call.attention);
  }

  /** With `attention`, `dy` is of the summary, else of the states. */
  #gradients(call: LstmCall, dy: Float32Array, attention: Float32Array = new Float32Array(0)): LstmGradients & SummaryGradients {
    const memory = this.#memory;
    if (this.#traceOf !== call.tapeId || call.tapeId === 0) this.#run(call, 0, call.batch, true);
    const { batch, steps, columns, units } = call;
    const { blocks, depth, width, dzFloats, zFloats } = sizesOf(call);
    const offsets = this.#allocate(call, batch, true);
    const take = (count: number) => ({ at: memory.allocate(count), count });
    const transposed = take(dzFloats * width);
    const dz = take(batch * dzFloats);
    const dh = take(batch * 4 * blocks);
    const dc = take(batch * 4 * blocks);
    const dWeights = take(roundUp(depth, 2) * width);
    const dBias = take(width);
    const isSummary = attention.length > 0;
    const dStates = take(isSummary ? batch * steps * units : dy.length);
    const [dSummary, scores, dScores] = [dy.length, roundUp(steps, 4), roundUp(steps, 4)].map((count) => take(isSummary ? count : 0).at);
    const [attentionAt, dAttention] = [take(attention.length), take(attention.length)];
    const results = [call.x, call.kernel, call.recurrentKernel, call.bias].map((input) => take(input.length));
    const [dx, dKernel, dRecurrent, dBiasOut] = results as [typeof dz, typeof dz, typeof dz, typeof dz];
    // The pass overwrites the kept states; growing the memory alone would keep them.
    this.#traceOf = 0;
    memory.ensure();
    for (const { at, count } of [transposed, dz, dh, dc, dWeights, dBias, dAttention]) memory.zero(at, count);
    if (isSummary) {
      memory.put(attentionAt.at, attention);
      memory.put(dSummary!, dy);
      this.#module.poolBackward(offsets.y, attentionAt.at, scores!, dScores!, dSummary!, dStates.at, dAttention.at, batch, steps, units);
    } else memory.put(dStates.at, dy);
    this.#module.transpose(offsets.weights, transposed.at, depth, blocks);
    this.#module.backward(
      dStates.at,
      dx.at,
      offsets.z,
      offsets.c,
      offsets.gates,
      transposed.at,
      dz.at,
      dh.at,
      dc.at,
      dWeights.at,
      dBias.at,
      batch,
      steps,
      columns,
      units,
      blocks,
      4 * zFloats,
      4 * dzFloats,
      call.returnSequences ? 1 : 0,
    );
    this.#module.unpack(dWeights.at, dBias.at, dKernel.at, dRecurrent.at, dBiasOut.at, columns, units, blocks);
    return {
      x: memory.view(dx.at, dx.count),
      kernel: memory.view(dKernel.at, dKernel.count),
      recurrentKernel: memory.view(dRecurrent.at, dRecurrent.count),
      bias: memory.view(dBiasOut.at, dBiasOut.count),
      attention: memory.view(dAttention.at, dAttention.count),
    };
  }

  /** Allocates the buffers. Offsets do not depend on the buffers that `backward` allocates after them. */
  #allocate(call: LstmCall, rows: number, keep: boolean): Offsets {
    const memory = this.#memory;
    const { blocks, width, weights, zFloats } = sizesOf(call);
    const { steps, columns, units } = call;
    memory.restart();
    const packed = memory.allocate(weights);
    return {
      weights: packed,
      bias: packed + 4 * (weights - width),
      x: memory.allocate(rows * steps * columns),
      y: memory.allocate(rows * units * (call.returnSequences ? steps : 1)),
      z: memory.allocate((keep ? steps + 1 : 2) * rows * zFloats),
      c: memory.allocate((keep ? steps + 1 : 1) * rows * 4 * blocks),
      gates: keep ? memory.allocate(steps * rows * width) : 0,
    };
  }

  #statesOf(call: LstmCall, firstRow: number, rows: number, keep: boolean): Float32Array {
    const { y } = this.#run(call, firstRow, rows, keep);
    return this.#memory.view(y, rows * call.units * (call.returnSequences ? call.steps : 1));
  }

  #run(call: LstmCall, firstRow: number, rows: number, keep: boolean): Offsets {
    const memory = this.#memory;
    const { steps, columns, units } = call;
    const { blocks, zFloats } = sizesOf(call);
    this.#load(call);
    this.#traceOf = 0;
    const offsets = this.#allocate(call, rows, keep);
    memory.ensure();
    memory.put(offsets.x, call.x.subarray(firstRow * steps * columns, (firstRow + rows) * steps * columns));
    memory.zero(offsets.z, (keep ? steps + 1 : 2) * rows * zFloats);
    memory.zero(offsets.c, rows * 4 * blocks);
    this.#module.forward(
      offsets.x,
      offsets.y,
      offsets.z,
      offsets.c,
      offsets.gates,
      offsets.weights,
      offsets.bias,
      rows,
      steps,
      columns,
      units,
      blocks,
      4 * zFloats,
      keep ? 1 : 0,
      call.returnSequences ? 1 : 0,
    );
    if (keep) this.#traceOf = call.tapeId;
    return offsets;
  }

  /** Copies the packed weights of `call` to the start of the memory. */
  #load(call: LstmCall): void {
    if (this.#loaded !== undefined && sameIds(this.#loaded, call.weightIds)) return;
    const memory = this.#memory;
    const { width, weights } = sizesOf(call);
    this.#loaded = undefined;
    this.#traceOf = 0;
    memory.restart();
    const at = memory.allocate(weights);
    const kept = this.#packed.get(call.weightIds[1]);
    if (kept !== undefined && sameIds(kept.ids, call.weightIds)) {
      memory.ensure();
      memory.put(at, kept.floats);
    } else {
      const raw = [call.kernel, call.recurrentKernel, call.bias].map((values) => memory.allocate(values.length)) as [
        number,
        number,
        number,
      ];
      memory.ensure();
      memory.zero(at, weights);
      memory.put(raw[0], call.kernel);
      memory.put(raw[1], call.recurrentKernel);
      memory.put(raw[2], call.bias);
      this.#module.pack(raw[0], raw[1], raw[2], at, at + 4 * (weights - width), call.columns, call.units);
      // Training has new weights in every step, so caching them would only burden the garbage collector.
      if (call.tapeId === 0) this.#packed.set(call.weightIds[1], { ids: call.weightIds, floats: memory.view(at, weights).slice() });
    }
    this.#loaded = call.weightIds;
  }
}
