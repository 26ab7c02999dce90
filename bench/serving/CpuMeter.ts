import { machineBusyMs, readTree } from './procStat.ts';

export type CpuUse = {
  /** CPU of the server process and its descendants. */
  readonly treeMs: number;
  /** Cores used by processes other than this bench and its children. */
  readonly foreignCores: number;
};

type Reading = { readonly atMs: number; readonly tree: number; readonly busy: number; readonly own: number };

/** Measures the CPU of a server and of the rest of the machine from now on. Linux only; the resolution is 10 ms. */
export class CpuMeter {
  readonly #pid: number;
  readonly #start: Reading;

  constructor(pid: number) {
    this.#pid = pid;
    this.#start = this.#read();
  }

  read(): CpuUse {
    const [start, end] = [this.#start, this.#read()];
    const foreignCores = Math.max(0, end.busy - start.busy - (end.own - start.own)) / (end.atMs - start.atMs);
    return { treeMs: end.tree - start.tree, foreignCores };
  }

  #read(): Reading {
    // This process and its descendants; ended processes are counted by their parent.
    const own = readTree(process.pid).reduce((sum, { cpuMs, endedChildrenMs }) => sum + cpuMs + endedChildrenMs, 0);
    const tree = readTree(this.#pid).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
    return { atMs: performance.now(), tree, busy: machineBusyMs(), own };
  }
}
