import { ServiceError } from '../core/ServiceError.ts';

const PAGE = 65_536;
/** Below it lies nothing: the module keeps no data of its own, and 0 means "absent". */
const FIRST = 1_024;
const ALIGNMENT = 64;
/** As the module is compiled: 16,384 pages. */
const LIMIT = 16_384 * PAGE;

/** Hands out places in the module's memory from the bottom up; a call starts anew and asks in a fixed order. */
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

  /** Byte offset of room for `count` floats with whatever is in it. */
  take(count: number): number {
    const offset = this.#next;
    this.#next = Math.ceil((offset + count * 4) / ALIGNMENT) * ALIGNMENT;
    return offset;
  }

  /**
   * Makes what was taken real. Call before any use of it; earlier views lose their memory.
   * @throws ServiceError `inference.failed` above 1 GiB, or when the machine has no more
   */
  ensure(): void {
    const missing = this.#next - this.#memory.buffer.byteLength;
    if (missing <= 0) return;
    const needed = `FusedLSTM needs ${Math.ceil(this.#next / 2 ** 20)} MiB for this batch`;
    if (this.#next > LIMIT) throw new ServiceError('inference.failed', `${needed}, at most 1024 can be had: send fewer rows.`);
    try {
      this.#memory.grow(Math.ceil(missing / PAGE));
    } catch (cause) {
      throw new ServiceError('inference.failed', `${needed}, the machine does not give them.`, { cause });
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
