import { CudaError, type CudaDriver } from './CudaDriver.ts';

/**
 * Lets the card read the memory of WebAssembly, so that rows in it need no copy. The whole of it is made readable at the first call, and again when it
 * has grown, which gives it another buffer at the same address. Where the driver refuses that, rows are copied.
 */
export class HeapRows {
  readonly #driver: CudaDriver;
  readonly #heap: () => ArrayBufferLike;
  #readable: { readonly buffer: ArrayBufferLike; readonly address: number; readonly onDevice: number } | undefined;
  #isRefused = false;

  constructor(driver: CudaDriver, heap: () => ArrayBufferLike) {
    this.#driver = driver;
    this.#heap = heap;
  }

  /** Address on the card; absent if the rows are elsewhere, and must be copied. */
  addressOf({ buffer, byteOffset }: Float32Array): number | undefined {
    if (this.#isRefused || buffer !== this.#heap()) return undefined;
    if (this.#readable?.buffer !== buffer) this.#register(buffer);
    return this.#readable === undefined ? undefined : this.#readable.onDevice + byteOffset;
  }

  #register(buffer: ArrayBufferLike): void {
    if (this.#readable !== undefined) this.#driver.unregister(this.#readable.address);
    this.#readable = undefined;
    try {
      this.#readable = { buffer, ...this.#driver.register(new Uint8Array(buffer)) };
    } catch (error) {
      if (!(error instanceof CudaError)) throw error;
      this.#isRefused = true;
    }
  }
}
