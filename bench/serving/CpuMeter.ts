import { machineBusyMs, readTree } from './procStat.ts';

export type CpuUse = {
  /** The server's process and all below it. */
  readonly treeMs: number;
  /** Cores that others than this bench and its children had meanwhile. */
  readonly foreignCores: number;
};

type Reading = { readonly atMs: number; readonly tree: number; readonly busy: number; readonly own: number };

/** CPU that a server and the rest of the machine use from now on. Linux; figures come in steps of 10 ms. */
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
    // This process and all that it has started; what has ended counts with its parent.
    const own = readTree(process.pid).reduce((sum, { cpuMs, endedChildrenMs }) => sum + cpuMs + endedChildrenMs, 0);
    const tree = readTree(this.#pid).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
    return { atMs: performance.now(), tree, busy: machineBusyMs(), own };
  }
}
