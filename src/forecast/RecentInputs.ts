import { MAX_BINS, stabilityIndex } from '../features/stabilityIndex.ts';
import type { InputStatistics } from '../model/inputStatistics.ts';

export type ColumnDrift = { readonly name: string; readonly psi: number };

/**
 * In which bins of the training rows the inputs of the last forecasts fall: a ring of bin numbers and their counts. Its memory is fixed (71 bytes a
 * forecast), and `add` allocates nothing.
 */
export class RecentInputs {
  readonly #statistics: InputStatistics;
  readonly #capacity: number;
  readonly #columns: number;
  /** [C, MAX_BINS]: after a column's edges, one less than bins at most, stands Infinity, which no value is above. */
  readonly #edges: Float32Array;
  /** [C, MAX_BINS] */
  readonly #counts: Uint32Array;
  /** [capacity, C] */
  readonly #ring: Uint8Array;
  #next = 0;
  #count = 0;

  constructor(statistics: InputStatistics, capacity: number) {
    this.#statistics = statistics;
    this.#capacity = capacity;
    this.#columns = statistics.columns.length;
    this.#edges = new Float32Array(this.#columns * MAX_BINS).fill(Infinity);
    for (const [at, { edges }] of statistics.columns.entries()) this.#edges.set(edges, at * MAX_BINS);
    this.#counts = new Uint32Array(this.#columns * MAX_BINS);
    this.#ring = new Uint8Array(capacity * this.#columns);
  }

  /** Forecasts that it knows of, at most the capacity. */
  get count(): number {
    return this.#count;
  }

  /** `context`: one finite row of the network's input; where the ring is full, the oldest leaves. */
  add(context: Float32Array): void {
    const columns = this.#columns;
    const edges = this.#edges;
    const counts = this.#counts;
    const ring = this.#ring;
    const isFull = this.#count === this.#capacity;
    let place = this.#next * columns;
    for (let column = 0; column < columns; column++, place++) {
      const value = context[column] as number;
      const first = column * MAX_BINS;
      let bin = 0;
      while (value > (edges[first + bin] as number)) bin++;
      if (isFull) counts[first + (ring[place] as number)]!--;
      counts[first + bin]!++;
      ring[place] = bin;
    }
    this.#next = (this.#next + 1) % this.#capacity;
    if (!isFull) this.#count++;
  }

  /** Population stability index of each column against the training rows, largest first; at least one forecast. */
  drift(): ColumnDrift[] {
    return this.#statistics.columns
      .map(({ name, shares }, column) => {
        const first = column * MAX_BINS;
        const now = shares.map((_, bin) => (this.#counts[first + bin] as number) / this.#count);
        return { name, psi: stabilityIndex(shares, now) };
      })
      .sort((a, b) => b.psi - a.psi);
  }
}
