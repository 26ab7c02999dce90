import { ServiceError } from '../../../core/ServiceError.ts';

/** Sizes of one LSTM call. */
export type LstmShape = {
  readonly batch: number;
  readonly steps: number;
  readonly columns: number;
  readonly units: number;
};

/** One LSTM layer applied to a batch: row-major float32, Keras gate order i, f, c, o, sigmoid gates, tanh. */
export type LstmCall = LstmShape & {
  /** [batch, steps, columns] */
  readonly x: Float32Array;
  /** [columns, 4 units] */
  readonly kernel: Float32Array;
  /** [units, 4 units] */
  readonly recurrentKernel: Float32Array;
  /** [4 units] */
  readonly bias: Float32Array;
  readonly returnSequences: boolean;
  /** Objects whose identities represent the values of the three weights: equal identities mean equal values. */
  readonly weightIds: readonly [object, object, object];
  /** Number of the forward call if its gradient may follow, else 0. */
  readonly tapeId: number;
};

/** Each has the layout of its input. */
export type LstmGradients = {
  readonly x: Float32Array;
  readonly kernel: Float32Array;
  readonly recurrentKernel: Float32Array;
  readonly bias: Float32Array;
};

/**
 * FusedLSTM on plain arrays, independent of TensorFlow backends. Methods never write to inputs, and do not read them after they return.
 * A result is valid until the next call of the same program, which may reuse its memory.
 */
export type LstmProgram = {
  /** [batch, steps, units] with returnSequences, else [batch, units]. */
  forward(call: LstmCall): Float32Array;
  /** `dy` has the layout of the result of `forward`. */
  backward(call: LstmCall, dy: Float32Array): LstmGradients;
};

const PAGE = 65_536;
/** Start of the used memory. The module has no static data, and offset 0 means "absent". */
const FIRST = 1_024;
const ALIGNMENT = 64;
/** Limit in the compiled module: 16,384 pages. */
const LIMIT = 16_384 * PAGE;

/** Bump allocator for the module's memory. Each call starts again at the bottom and allocates in a fixed order. */
export class LstmMemory {
  readonly #memory: WebAssembly.Memory;
  #floats: Float32Array;
  #next = FIRST;

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
    this.#floats = new Float32Array(memory.buffer);
  }

  restart(): void {
    this.#next = FIRST;
  }

  /** Byte offset of uninitialized space for `count` floats. */
  allocate(count: number): number {
    const offset = this.#next;
    this.#next = Math.ceil((offset + count * 4) / ALIGNMENT) * ALIGNMENT;
    return offset;
  }

  /**
   * Grows the memory to the allocated size. Call it before using the space; growing detaches earlier views.
   * @throws ServiceError `inference.failed` above 1 GiB, or if the machine has too little memory
   */
  ensure(): void {
    const missing = this.#next - this.#memory.buffer.byteLength;
    if (missing <= 0) return;
    const needed = `FusedLSTM needs ${Math.ceil(this.#next / 2 ** 20)} MiB for this batch`;
    if (this.#next > LIMIT) throw new ServiceError('inference.failed', `${needed}; the limit is 1024. Send fewer rows.`);
    try {
      this.#memory.grow(Math.ceil(missing / PAGE));
    } catch (cause) {
      throw new ServiceError('inference.failed', `${needed}, but the machine has too little memory.`, { cause });
    }
    this.#floats = new Float32Array(this.#memory.buffer);
  }

  view(offset: number, count: number): Float32Array {
    return this.#floats.subarray(offset / 4, offset / 4 + count);
  }

  zero(offset: number, count: number): void {
    this.#floats.fill(0, offset / 4, offset / 4 + count);
  }

  put(offset: number, values: Float32Array): void {
    this.#floats.set(values, offset / 4);
  }
}
