import { readFileSync } from 'node:fs';
import { systemClock, type Clock } from '../../../core/Clock.ts';
import type { LstmCall, LstmShape } from '../lstm/LstmProgram.ts';
import type { TrunkCall } from '../lstm/SimdLstmProgram.ts';
import { CudaError, type CudaDriver, type CudaKernel, type PinnedMemory } from './CudaDriver.ts';
import { packLstm } from './packLstm.ts';

/** Columns of the two kernels of one size; a window of the base has 10. */
const COLUMNS = [12, 32] as const;
const UNITS = { step: 16, most: 128 } as const;
/** Shared memory that a block may use on every card, in floats. */
const SHARED_FLOATS = 48 * 256;
/** Of the states that attention reads again, on the card. */
const MOST_SCRATCH_BYTES = 256 * 2 ** 20;
/** A launch takes milliseconds; a card that does not answer for this long is lost. */
const LONGEST_MS = 2_000;
const PARAMETERS = 13;
/** Of the parameters and their addresses, at the start of the pinned memory. */
const HEAD_BYTES = 256;

/** Whether the kernels compute this layer. */
export function fitsCuda({ units, columns }: Pick<LstmShape, 'units' | 'columns'>): boolean {
  return units % UNITS.step === 0 && units <= UNITS.most && columns <= COLUMNS.at(-1)!;
}

type Weights = { readonly packed: number; readonly attention: number; readonly kernel: number; readonly bias: number };

/** The text of one kernel of lstmTrunk.ptx: the driver compiles all that it gets, which takes 0.15 s a kernel. */
function ptxOf(ptx: string, name: string): string {
  const [head = '', ...entries] = ptx.split(/(?=^\.visible \.entry )/m);
  const entry = entries.find((text) => text.startsWith(`.visible .entry ${name}(`));
  if (entry === undefined) throw new Error(`lstmTrunk.ptx has no kernel ${name}`);
  return head + entry;
}

/**
 * LSTM, attention and trunk of whole batches on an NVIDIA card: one launch, which reads its rows from memory of the host and writes its results there.
 * Waits for the card, which takes less time than a batch of the CPU; `forwardTrunk` throws CudaError when the card does not answer within two seconds.
 */
export class CudaTrunk {
  readonly #driver: CudaDriver;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #ptx: string;
  readonly #kernels = new Map<string, CudaKernel>();
  readonly #weights = new WeakMap<object, { readonly ids: readonly object[]; readonly at: Weights }>();
  /** Frees the weights of tensors that are gone. */
  readonly #freed = new FinalizationRegistry<Weights>((at) => {
    for (const address of Object.values(at)) this.#driver.free(address);
  });
  #pinned: PinnedMemory | undefined;
  #scratch: { readonly address: number; readonly bytes: number } | undefined;

  constructor(driver: CudaDriver, clock: Pick<Clock, 'monotonicMs'> = systemClock) {
    this.#driver = driver;
    this.#clock = clock;
    this.#ptx = readFileSync(new URL('./lstmTrunk.ptx', import.meta.url), 'latin1');
  }

  /** As SimdLstmProgram.forwardTrunk, for a call that fits (fitsCuda): [batch, D]. */
  forwardTrunk(call: LstmCall, trunk: TrunkCall): Float32Array {
    const { batch, steps, units } = call;
    const outputs = trunk.bias.length;
    const rowsAtOnce = Math.max(1, Math.floor(MOST_SCRATCH_BYTES / (4 * steps * units)));
    const result = new Float32Array(batch * outputs);
    for (let row = 0; row < batch; row += rowsAtOnce) {
      result.set(this.#run(call, trunk, row, Math.min(rowsAtOnce, batch - row)), row * outputs);
    }
    return result;
  }

  /** A view of the results, valid until the next call. */
  #run(call: LstmCall, trunk: TrunkCall, row: number, rows: number): Float32Array {
    const { batch, steps, units, columns } = call;
    const outputs = trunk.bias.length;
    const contextColumns = trunk.context.length / batch;
    const x = call.x.subarray(row * steps * columns, (row + rows) * steps * columns);
    const context = trunk.context.subarray(row * contextColumns, (row + rows) * contextColumns);
    const maxColumns = COLUMNS.find((most) => columns <= most)!;
    const weights = this.#weightsOf(call, trunk, maxColumns);
    const kernel = this.#kernelOf(`trunk_h${units}_x${maxColumns}`);
    const states = this.#scratchOf(4 * rows * steps * units);
    const pinned = this.#pinnedOf(HEAD_BYTES + 4 * (x.length + context.length + rows * outputs));
    const at = (floats: number): number => pinned.onDevice + HEAD_BYTES + 4 * floats;
    new Float32Array(pinned.buffer, HEAD_BYTES, x.length).set(x);
    new Float32Array(pinned.buffer, HEAD_BYTES + 4 * x.length, context.length).set(context);
    // As in lstmTrunk.cu: what the block needs after the steps, and as many steps of the row as fit.
    const after = (units / 4) * (units + 2) + 2 * units + contextColumns;
    const free = SHARED_FLOATS - 2 * units;
    if (after > free) throw new CudaError('cuLaunchKernel', `no shared memory for ${contextColumns} context columns`);
    const chunkSteps = Math.min(steps, Math.floor(free / columns));
    const words = new BigUint64Array(pinned.buffer, 0, 2 * PARAMETERS);
    const addresses = [at(0), at(x.length), weights.packed, weights.attention, weights.kernel, weights.bias, states];
    const values = [...addresses, at(x.length + context.length), steps, columns, contextColumns, outputs, chunkSteps];
    for (const [i, value] of values.entries()) {
      words[i] = BigInt(value);
      words[PARAMETERS + i] = BigInt(pinned.address + 8 * i);
    }
    const sharedBytes = 4 * (2 * units + Math.max(after, chunkSteps * columns));
    this.#driver.launch(kernel, rows, 4 * units, sharedBytes, pinned.address + 8 * PARAMETERS);
    this.#wait();
    return new Float32Array(pinned.buffer, HEAD_BYTES + 4 * (x.length + context.length), rows * outputs);
  }

  #wait(): void {
    const startMs = this.#clock.monotonicMs();
    while (!this.#driver.isDone())
      if (this.#clock.monotonicMs() - startMs > LONGEST_MS) throw new CudaError('cuStreamQuery', `nothing within ${LONGEST_MS / 1000} s`);
  }

  #kernelOf(name: string): CudaKernel {
    const kernel = this.#kernels.get(name) ?? this.#driver.loadKernel(ptxOf(this.#ptx, name), name);
    this.#kernels.set(name, kernel);
    return kernel;
  }

  #weightsOf(call: LstmCall, trunk: TrunkCall, maxColumns: number): Weights {
    const { weightIds, units, columns } = call;
    const ids = [...weightIds, trunk.attention, trunk.kernel, trunk.bias];
    const kept = this.#weights.get(weightIds[0]);
    if (kept?.ids.every((id, i) => id === ids[i]) === true) return kept.at;
    const driver = this.#driver;
    // Read only here: each read from TensorFlow.js is a copy.
    const { kernel, recurrentKernel, bias } = call;
    const packed = driver.upload(packLstm({ kernel, recurrentKernel, bias }, units, columns, maxColumns));
    const at = { packed, attention: driver.upload(trunk.attention), kernel: driver.upload(trunk.kernel), bias: driver.upload(trunk.bias) };
    this.#weights.set(weightIds[0], { ids, at });
    this.#freed.register(weightIds[0], at);
    return at;
  }

  #pinnedOf(bytes: number): PinnedMemory {
    if (this.#pinned !== undefined && this.#pinned.buffer.byteLength >= bytes) return this.#pinned;
    if (this.#pinned !== undefined) this.#driver.unpin(this.#pinned);
    this.#pinned = undefined;
    return (this.#pinned = this.#driver.pin(2 ** Math.ceil(Math.log2(bytes))));
  }

  #scratchOf(bytes: number): number {
    if (this.#scratch !== undefined && this.#scratch.bytes >= bytes) return this.#scratch.address;
    if (this.#scratch !== undefined) this.#driver.free(this.#scratch.address);
    this.#scratch = undefined;
    const whole = 2 ** Math.ceil(Math.log2(bytes));
    this.#scratch = { address: this.#driver.allocate(whole), bytes: whole };
    return this.#scratch.address;
  }
}
