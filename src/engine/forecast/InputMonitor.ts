import { MAX_BINS, stabilityIndex } from '../features/stabilityIndex.ts';
import type { InputStatistics, ServedModel } from '../model/ModelManifest.ts';

/** Number of recent forecasts from which the drift is computed. */
export const RECENT_FORECASTS = 2000;
/** Minimum for a result: with fewer, the index of ten bins is about 0.05 even without any drift. */
export const FEWEST_FORECASTS = 200;

export type InputDrift = {
  /** Number of forecasts in the result. */
  readonly forecasts: number;
  /** Largest first; null: no result, and `why` gives the reason. */
  readonly columns: readonly ColumnDrift[] | null;
  readonly why: string | null;
};

/** Measures how far the inputs of each served version have drifted from its training inputs. Reloading a version resets its monitor. */
export class InputMonitor {
  readonly #recent = new WeakMap<ServedModel, RecentInputs>();

  /** Adds one row of network input, at the default threshold of the window. */
  add(model: ServedModel, context: Float32Array): void {
    if (model.inputs === undefined) return;
    let recent = this.#recent.get(model);
    if (recent === undefined) this.#recent.set(model, (recent = new RecentInputs(model.inputs, RECENT_FORECASTS)));
    recent.add(context);
  }

  read(model: ServedModel): InputDrift {
    if (model.inputs === undefined) return { forecasts: 0, columns: null, why: 'The version does not declare its training inputs.' };
    const recent = this.#recent.get(model);
    const forecasts = recent?.count ?? 0;
    if (recent === undefined || forecasts < FEWEST_FORECASTS)
      return { forecasts, columns: null, why: `${FEWEST_FORECASTS} forecasts are needed; there were ${forecasts}.` };
    return { forecasts, columns: recent.drift(), why: null };
  }
}

export type ColumnDrift = { readonly name: string; readonly psi: number };

/**
 * Counts in which bins of the training rows the inputs of the last forecasts fall, with a ring of bin numbers. Its memory is fixed (71
 * bytes per forecast), and `add` allocates nothing.
 */
export class RecentInputs {
  readonly #statistics: InputStatistics;
  readonly #capacity: number;
  readonly #columns: number;
  /** [C, MAX_BINS]: the edges of a column, at most MAX_BINS - 1, then Infinity, which no value exceeds. */
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

  /** Number of forecasts in the ring, at most its capacity. */
  get count(): number {
    return this.#count;
  }

  /** `context`: one finite row of network input; it replaces the oldest one if the ring is full. */
  add(context: Float32Array): void {
    const columns = this.#columns;
    const edges = this.#edges;
    const counts = this.#counts;
    const ring = this.#ring;
    const isFull = this.#count === this.#capacity;
    let position = this.#next * columns;
    for (let column = 0; column < columns; column++, position++) {
      const value = context[column];
      const first = column * MAX_BINS;
      let bin = 0;
      while (value > edges[first + bin]) bin++;
      if (isFull) counts[first + ring[position]]--;
      counts[first + bin]++;
      ring[position] = bin;
    }
    this.#next = (this.#next + 1) % this.#capacity;
    if (!isFull) this.#count++;
  }

  /** Population stability index of each column against the training rows, largest first. Needs at least one forecast. */
  drift(): ColumnDrift[] {
    return this.#statistics.columns
      .map(({ name, shares }, column) => {
        const first = column * MAX_BINS;
        const now = shares.map((_, bin) => this.#counts[first + bin] / this.#count);
        return { name, psi: stabilityIndex(shares, now) };
      })
      .sort((a, b) => b.psi - a.psi);
  }
}
