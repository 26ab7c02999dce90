import { createRequire } from 'node:module';
import type * as Koffi from 'koffi';

/** A call of the driver that failed. `code`: the driver's name of the error, such as CUDA_ERROR_OUT_OF_MEMORY. */
export class CudaError extends Error {
  readonly code: string;

  constructor(call: string, code: string) {
    super(`${call} of the NVIDIA driver answered ${code}`);
    this.code = code;
  }
}

/** Memory of the host that the card reads and writes over the bus. `address` and `onDevice` are of its first byte; `floats` are all of it. */
export type PinnedMemory = { readonly address: number; readonly onDevice: number; readonly floats: Float32Array };

/** Address of a kernel. */
export type CudaKernel = number;

type Call = (...given: unknown[]) => number;

const SIGNATURES = {
  cuInit: ['uint'],
  cuDriverGetVersion: ['void *'],
  cuDeviceGetCount: ['void *'],
  cuDeviceGet: ['void *', 'int'],
  cuDeviceGetName: ['void *', 'int', 'int'],
  cuDevicePrimaryCtxRetain: ['void *', 'int'],
  cuCtxSetCurrent: ['uint64'],
  cuModuleLoadData: ['void *', 'void *'],
  cuModuleGetFunction: ['void *', 'uint64', 'str'],
  cuStreamCreate: ['void *', 'uint'],
  cuStreamQuery: ['uint64'],
  cuMemAlloc_v2: ['void *', 'uint64'],
  cuMemFree_v2: ['uint64'],
  cuMemcpyHtoD_v2: ['uint64', 'void *', 'uint64'],
  cuMemcpyHtoDAsync_v2: ['uint64', 'uint64', 'uint64', 'uint64'],
  cuMemHostAlloc: ['void *', 'uint64', 'uint'],
  cuMemHostGetDevicePointer_v2: ['void *', 'uint64', 'uint'],
  cuMemFreeHost: ['uint64'],
  cuLaunchKernel: ['uint64', 'uint', 'uint', 'uint', 'uint', 'uint', 'uint', 'uint', 'uint64', 'uint64', 'uint64'],
} as const;
type Name = keyof typeof SIGNATURES;

const MAPPED = 2;
const NON_BLOCKING = 1;
const NOT_READY = 600;
const LIBRARY = 'libcuda.so.1';

/**
 * The functions of the NVIDIA driver that we use, on one of its visible cards, which CUDA_VISIBLE_DEVICES chooses. The driver is part of every machine with
 * such a card; nothing else is installed. One per process, on the thread that opens it.
 */
export class CudaDriver {
  /** Name of the card and newest version of CUDA that the driver knows. */
  readonly description: string;
  readonly #calls: Readonly<Record<Name, Call>>;
  readonly #nameOf: (code: number) => string;
  readonly #view: (address: number, bytes: number) => ArrayBuffer;
  readonly #stream: number;

  /**
   * Loads the driver and makes a context on a card: that of this number, counted around all of them. Throws CudaError, or an Error if the driver cannot be
   * loaded.
   */
  constructor(number = 0, library = LIBRARY) {
    // Loaded here, so that machines without a card never read it.
    const koffi = createRequire(import.meta.url)('koffi') as typeof Koffi;
    const driver = koffi.load(library);
    const bound = Object.entries(SIGNATURES).map(([name, types]) => [name, driver.func(name, 'int', [...types]) as unknown as Call]);
    this.#calls = Object.fromEntries(bound) as Record<Name, Call>;
    const errorName = driver.func('int cuGetErrorName(int code, _Out_ const char **name)') as unknown as (
      code: number,
      out: unknown[],
    ) => number;
    this.#nameOf = (code) => {
      const out: unknown[] = [null];
      return errorName(code, out) === 0 && typeof out[0] === 'string' ? out[0] : `error ${code}`;
    };
    this.#view = (address, bytes) => koffi.view(BigInt(address), bytes);
    this.#call('cuInit', 0);
    const numbers = new Int32Array(1);
    this.#call('cuDeviceGetCount', numbers);
    if (numbers[0] === 0) throw new CudaError('cuDeviceGetCount', 'CUDA_ERROR_NO_DEVICE');
    this.#call('cuDeviceGet', numbers, number % numbers[0]);
    const device = numbers[0];
    const name = new Uint8Array(100);
    this.#call('cuDeviceGetName', name, name.length, device);
    this.#call('cuCtxSetCurrent', this.#made('cuDevicePrimaryCtxRetain', device));
    this.#stream = this.#made('cuStreamCreate', NON_BLOCKING);
    this.#call('cuDriverGetVersion', numbers);
    const version = `${Math.floor(numbers[0] / 1000)}.${Math.floor((numbers[0] % 1000) / 10)}`;
    this.description = `${Buffer.from(name).toString('latin1').replace(/\0.*$/s, '')}, driver for CUDA ${version}`;
  }

  /** Compiles PTX for the card. */
  loadKernel(ptx: string, name: string): CudaKernel {
    const text = Buffer.from(`${ptx}\0`, 'latin1');
    return this.#made('cuModuleGetFunction', this.#made('cuModuleLoadData', text), name);
  }

  /** Address on the card. */
  allocate(bytes: number): number {
    return this.#made('cuMemAlloc_v2', bytes);
  }

  /** Never throws: a card that has failed frees nothing, and its memory goes with the process. */
  free(address: number): void {
    this.#calls.cuMemFree_v2(address);
  }

  /** Floats on the card. */
  upload(values: Float32Array): number {
    // The driver allocates no empty block.
    const address = this.allocate(Math.max(4, values.byteLength));
    if (values.length > 0) this.#call('cuMemcpyHtoD_v2', address, values, values.byteLength);
    return address;
  }

  /** Starts to copy from pinned memory to the card, before what is launched later. */
  startCopy(to: number, from: number, bytes: number): void {
    this.#call('cuMemcpyHtoDAsync_v2', to, from, bytes, this.#stream);
  }

  pin(bytes: number): PinnedMemory {
    const address = this.#made('cuMemHostAlloc', bytes, MAPPED);
    const onDevice = this.#made('cuMemHostGetDevicePointer_v2', address, 0);
    return { address, onDevice, floats: new Float32Array(this.#view(address, bytes)) };
  }

  /** Never throws, as `free`. */
  unpin({ address }: PinnedMemory): void {
    this.#calls.cuMemFreeHost(address);
  }

  /** Starts `blocks` blocks. `parameters`: address of the addresses of the parameters, in memory of the host. */
  launch(kernel: CudaKernel, blocks: number, threads: number, sharedBytes: number, parameters: number): void {
    this.#call('cuLaunchKernel', kernel, blocks, 1, 1, threads, 1, 1, sharedBytes, this.#stream, parameters, 0);
  }

  /** Whether all that was started has ended. Throws the CudaError of a kernel that failed. */
  isDone(): boolean {
    const code = this.#calls.cuStreamQuery(this.#stream);
    if (code === NOT_READY) return false;
    if (code !== 0) throw new CudaError('cuStreamQuery', this.#nameOf(code));
    return true;
  }

  #call(name: Name, ...given: unknown[]): void {
    const code = this.#calls[name](...given);
    if (code !== 0) throw new CudaError(name, this.#nameOf(code));
  }

  /** The handle or address that a call writes to its first parameter. */
  #made(name: Name, ...given: unknown[]): number {
    const out = new BigUint64Array(1);
    this.#call(name, out, ...given);
    return Number(out[0]);
  }
}
