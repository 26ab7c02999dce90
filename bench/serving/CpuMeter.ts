import { readTree } from './procStat.ts';

/** Measures the CPU of a server process and its descendants from now on, ms. Linux only; the resolution is 10 ms. */
export class CpuMeter {
  readonly #pid: number;
  readonly #startMs: number;

  constructor(pid: number) {
    this.#pid = pid;
    this.#startMs = this.#used();
  }

  read(): number {
    return this.#used() - this.#startMs;
  }

  #used(): number {
    return readTree(this.#pid).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  }
}
