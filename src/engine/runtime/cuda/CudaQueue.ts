import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { systemClock } from '../../../core/Clock.ts';
import { CudaError, type CudaDriver, type CudaKernel, type PinnedMemory } from './CudaDriver.ts';

/** Shared memory that a block may use on every card, in floats. */
export const SHARED_FLOATS = 48 * 256;
/** A launch takes milliseconds; a card that does not answer for this long is lost. */
const LONGEST_MS = 2_000;
const MOST_PARAMETERS = 16;

/** The text of one kernel of lstm.ptx.gz: the driver compiles all that it gets, which takes 0.15 s a kernel. */
function ptxOf(ptx: string, name: string): string {
  const [head = '', ...entries] = ptx.split(/(?=^\.visible \.entry )/m);
  const entry = entries.find((text) => text.startsWith(`.visible .entry ${name}(`));
  if (entry === undefined) throw new Error(`lstm.ptx.gz has no kernel ${name}`);
  return head + entry;
}

export type Launch = { readonly kernel: string; readonly blocks: number; readonly threads: number; readonly sharedBytes: number };

/** The kernels of lstm.ptx.gz on a card, with memory for one call at a time, which grows and stays. */
export class CudaQueue {
  readonly driver: CudaDriver;
  readonly #ptx: string;
  readonly #kernels = new Map<string, CudaKernel>();
  /** Addresses of the parameters, then the parameters, each of two words. */
  #parameters: { readonly address: number; readonly words: Uint32Array } | undefined;
  #pinned: PinnedMemory | undefined;
  #scratch: { readonly address: number; readonly bytes: number } | undefined;

  constructor(driver: CudaDriver) {
    this.driver = driver;
    this.#ptx = gunzipSync(readFileSync(new URL('./lstm.ptx.gz', import.meta.url))).toString('latin1');
  }

  /** Starts a kernel after those that were started before. `parameters`: addresses on the card and integers, in the order of the kernel. */
  launch({ kernel, blocks, threads, sharedBytes }: Launch, parameters: readonly number[]): void {
    const compiled = this.#kernels.get(kernel) ?? this.driver.loadKernel(ptxOf(this.#ptx, kernel), kernel);
    this.#kernels.set(kernel, compiled);
    const { address, words } = (this.#parameters ??= this.#newParameters());
    for (let i = 0; i < parameters.length; i++) putWords(words, MOST_PARAMETERS + i, parameters[i]);
    this.driver.launch(compiled, blocks, threads, sharedBytes, address);
  }

  /** Returns when all that was started has ended. Throws CudaError if a kernel failed, or nothing ends within two seconds. */
  wait(): void {
    const startMs = systemClock.monotonicMs();
    while (!this.driver.isDone())
      if (systemClock.monotonicMs() - startMs > LONGEST_MS) throw new CudaError('cuStreamQuery', `nothing within ${LONGEST_MS / 1000} s`);
  }

  /** At least so many bytes; invalidates those of the last call. */
  pinned(bytes: number): PinnedMemory {
    if (this.#pinned !== undefined && this.#pinned.floats.byteLength >= bytes) return this.#pinned;
    if (this.#pinned !== undefined) this.driver.unpin(this.#pinned);
    this.#pinned = undefined;
    return (this.#pinned = this.driver.pin(2 ** Math.ceil(Math.log2(bytes))));
  }

  /** Address on the card of at least so many bytes; invalidates those of the last call if it returned another address. */
  scratch(bytes: number): number {
    if (this.#scratch !== undefined && this.#scratch.bytes >= bytes) return this.#scratch.address;
    if (this.#scratch !== undefined) this.driver.free(this.#scratch.address);
    this.#scratch = undefined;
    const whole = 2 ** Math.ceil(Math.log2(bytes));
    this.#scratch = { address: this.driver.allocate(whole), bytes: whole };
    return this.#scratch.address;
  }

  #newParameters(): { readonly address: number; readonly words: Uint32Array } {
    const { address, floats } = this.driver.pin(16 * MOST_PARAMETERS);
    const words = new Uint32Array(floats.buffer);
    for (let i = 0; i < MOST_PARAMETERS; i++) putWords(words, i, address + 8 * (MOST_PARAMETERS + i));
    return { address, words };
  }
}

/** Writes a whole number below 2^53 at the place of the `at`th of 64 bits, low half first, as all machines of NVIDIA's driver do. */
function putWords(words: Uint32Array, at: number, value: number): void {
  words[2 * at] = value;
  words[2 * at + 1] = value / 2 ** 32;
}
