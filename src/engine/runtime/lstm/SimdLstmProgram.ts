import { LstmMemory, type LstmCall, type LstmGradients, type LstmProgram } from './LstmProgram.ts';
import type { LstmModule } from './lstmModule.ts';

/** Rows per pass without a gradient; limits the memory of a large batch and keeps its states in the cache. */
const ROWS_AT_ONCE = 64;

/** Inputs of what follows the layer: context [batch, C], attention [units]; kernel [2 units + C, D] and bias [D] of the dense layer. */
export type TrunkCall = Readonly<Record<'context' | 'attention' | 'kernel' | 'bias', Float32Array>>;

/** LSTM, attention over its states and the dense layer after it, for a call with returnSequences: [batch, D]. */
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
export class SimdLstmProgram implements LstmProgram, TrunkProgram {
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
   * Runs the layer, attention over its states and the dense layer after it, for a call with returnSequences: [batch, D]. Only the result is
   * copied out of the module; the states are 96 times as many numbers.
   */
  forwardTrunk(call: LstmCall, { context, attention, kernel, bias }: TrunkCall): Float32Array {
    const memory = this.#memory;
    const { batch, steps, units } = call;
    const [contextColumns, outputs] = [context.length / batch, bias.length];
    const depth = 2 * units + contextColumns;
    const trunk = new Float32Array(batch * outputs);
    for (let row = 0; row < batch; row += ROWS_AT_ONCE) {
      const rows = Math.min(ROWS_AT_ONCE, batch - row);
      const { y } = this.#run(call, row, rows, false);
      const [attentionAt, scores, joined] = [memory.allocate(units), memory.allocate(roundUp(steps, 4)), memory.allocate(rows * depth)];
      const [kernelAt, biasAt, out] = [memory.allocate(kernel.length), memory.allocate(outputs), memory.allocate(rows * outputs)];
      memory.ensure();
      memory.put(attentionAt, attention);
      memory.put(kernelAt, kernel);
      memory.put(biasAt, bias);
      for (let i = 0; i < rows; i++) {
        const from = (row + i) * contextColumns;
        memory.put(joined + 4 * (i * depth + 2 * units), context.subarray(from, from + contextColumns));
      }
      this.#module.pool(y, attentionAt, scores, joined, 4 * depth, rows, steps, units);
      this.#module.denseRelu(joined, 4 * depth, kernelAt, biasAt, out, rows, depth, outputs);
      trunk.set(memory.view(out, rows * outputs), row * outputs);
    }
    return trunk;
  }

  backward(call: LstmCall, dy: Float32Array): LstmGradients {
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
    const dyCopy = take(dy.length);
    const results = [call.x, call.kernel, call.recurrentKernel, call.bias].map((input) => take(input.length));
    const [dx, dKernel, dRecurrent, dBiasOut] = results as [typeof dz, typeof dz, typeof dz, typeof dz];
    // The pass overwrites the kept states; growing the memory alone would keep them.
    this.#traceOf = 0;
    memory.ensure();
    for (const { at, count } of [transposed, dz, dh, dc, dWeights, dBias]) memory.zero(at, count);
    memory.put(dyCopy.at, dy);
    this.#module.transpose(offsets.weights, transposed.at, depth, blocks);
    this.#module.backward(
      dyCopy.at,
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
