import type { LstmCall, LstmShape } from '../lstm/LstmProgram.ts';
import { sequencesOf, trunkRows, type TrunkCall } from '../lstm/SimdLstmProgram.ts';
import { CudaError, type CudaDriver } from './CudaDriver.ts';
import { CudaQueue, SHARED_FLOATS } from './CudaQueue.ts';
import { KERNEL, packLstm } from './packLstm.ts';

/** Of the states that attention reads again, on the card. */
const MOST_SCRATCH_BYTES = 256 * 2 ** 20;

/** Whether the kernels compute this layer. */
export function fitsCuda({ units, columns }: Pick<LstmShape, 'units' | 'columns'>): boolean {
  return units === KERNEL.units && columns <= KERNEL.mostColumns;
}

type Weights = { readonly packed: number; readonly attention: number; readonly kernel: number; readonly bias: number };

/**
 * LSTM, attention and trunk of whole batches on an NVIDIA card: one launch, which reads its rows from memory of the host and writes its results there.
 * Waits for the card, which takes less time than a batch of the CPU; `forwardTrunk` throws CudaError when the card does not answer within two seconds.
 */
export class CudaTrunk {
  readonly #queue: CudaQueue;
  readonly #weights = new WeakMap<object, { readonly ids: readonly object[]; readonly at: Weights }>();
  /** Frees the weights of tensors that are gone. */
  readonly #freed = new FinalizationRegistry<Weights>((at) => {
    for (const address of Object.values(at)) this.#queue.driver.free(address);
  });

  constructor(driver: CudaDriver) {
    this.#queue = new CudaQueue(driver);
  }

  /** As SimdLstmProgram.forwardTrunk, for a call that fits (fitsCuda): [rows, D]. */
  forwardTrunk(call: LstmCall, trunk: TrunkCall): Float32Array {
    const { steps, units } = call;
    const outputs = trunk.bias.length;
    const batch = trunkRows(call, trunk);
    const rowsAtOnce = Math.max(1, Math.floor(MOST_SCRATCH_BYTES / (4 * steps * units)));
    if (batch <= rowsAtOnce) return this.#run(call, trunk, 0, batch).slice();
    const result = new Float32Array(batch * outputs);
    for (let row = 0; row < batch; row += rowsAtOnce) {
      result.set(this.#run(call, trunk, row, Math.min(rowsAtOnce, batch - row)), row * outputs);
    }
    return result;
  }

  /** A view of the results, valid until the next call. */
  #run(call: LstmCall, trunk: TrunkCall, row: number, rows: number): Float32Array {
    const { steps, units, columns } = call;
    const outputs = trunk.bias.length;
    const contextColumns = trunk.context.length / trunkRows(call, trunk);
    const x = sequencesOf(call, trunk, row, rows);
    const context = trunk.context.subarray(row * contextColumns, (row + rows) * contextColumns);
    const weights = this.#weightsOf(call, trunk);
    const states = this.#queue.scratch(4 * rows * steps * units);
    const outAt = x.length + context.length;
    const { floats, onDevice } = this.#queue.pinned(4 * (outAt + rows * outputs));
    floats.set(x);
    floats.set(context, x.length);
    // As in lstm.cu: what the block needs after the steps, and as many steps of the row as fit.
    const after = (units / 4) * (units + 2) + 2 * units + contextColumns;
    const free = SHARED_FLOATS - 2 * units;
    if (after > free) throw new CudaError('cuLaunchKernel', `no shared memory for ${contextColumns} context columns`);
    const chunkSteps = Math.min(steps, Math.floor(free / columns));
    const sharedBytes = 4 * (2 * units + Math.max(after, chunkSteps * columns));
    const { packed, attention, kernel, bias } = weights;
    const [contextAt, resultAt] = [onDevice + 4 * x.length, onDevice + 4 * outAt];
    const parameters = [onDevice, contextAt, packed, attention, kernel, bias, states, resultAt];
    parameters.push(steps, columns, contextColumns, outputs, chunkSteps);
    this.#queue.launch({ kernel: 'trunkForward', blocks: rows, threads: 4 * units, sharedBytes }, parameters);
    this.#queue.wait();
    return floats.subarray(outAt, outAt + rows * outputs);
  }

  #weightsOf(call: LstmCall, trunk: TrunkCall): Weights {
    const { weightIds, columns } = call;
    const ids = [...weightIds, trunk.attention, trunk.kernel, trunk.bias];
    const kept = this.#weights.get(weightIds[0]);
    if (kept?.ids.every((id, i) => id === ids[i]) === true) return kept.at;
    const { driver } = this.#queue;
    // Read only here: each read from TensorFlow.js is a copy.
    const { kernel, recurrentKernel, bias } = call;
    const packed = driver.upload(packLstm({ kernel, recurrentKernel, bias }, columns));
    const at = { packed, attention: driver.upload(trunk.attention), kernel: driver.upload(trunk.kernel), bias: driver.upload(trunk.bias) };
    this.#weights.set(weightIds[0], { ids, at });
    this.#freed.register(weightIds[0], at);
    return at;
  }
}
