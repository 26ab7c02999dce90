import type { NetworkOutput, NetworkSpec, WeightArrays } from './NetworkWeights.ts';

/** Inputs of the heads in a batch. */
export type HeadRows = { readonly size: number; readonly baseline: Float32Array; readonly heads: ArrayLike<number> };

/** Columns whose sums grow side by side in registers: all of a head with an adapter of rank 4. */
const SIDE_BY_SIDE = 6;

/**
 * Computes the logits of rows from the trunk [B, D] with the head of each row. The same function as the end of `forward`, on arrays; a test
 * compares them. Computes only the adapter of the row's head, because the weights of the others are 0 (isConnected).
 */
export class Heads {
  readonly #spec: NetworkSpec;
  readonly #weights: WeightArrays;
  /** For each head, the columns that read the trunk: those of its adapter, opportunity and direction, six by six, row by row. */
  readonly #columns: readonly Float64Array[];
  readonly #sums: Float64Array;

  constructor(spec: NetworkSpec, weights: WeightArrays) {
    this.#spec = spec;
    this.#weights = weights;
    this.#columns = Array.from({ length: spec.heads }, (_, head) => columnsOf(spec, weights, head));
    this.#sums = new Float64Array(blocksOf(spec) * SIDE_BY_SIDE);
  }

  read(trunk: Float32Array, { size, baseline, heads }: HeadRows): NetworkOutput[] {
    const { dense: D, adapterRank: r, heads: K } = this.#spec;
    const w = this.#weights;
    const [opportunity, direction] = [w['opportunity/kernel'], w['direction/kernel']];
    const sums = this.#sums;
    return Array.from({ length: size }, (_, row) => {
      const head = heads[row] ?? 0;
      const first = head * r;
      for (let a = 0; a < r; a++) sums[a] = w['adapters/bias'][first + a];
      sums[r] = w['opportunity/bias'][head];
      sums[r + 1] = w['direction/bias'][head];
      addProducts(trunk, row * D, D, this.#columns[head], sums);
      let residualLogit = sums[r];
      let directionLogit = sums[r + 1];
      for (let a = 0; a < r; a++) {
        // NaN stays NaN, as in TensorFlow.
        const value = sums[a] <= 0 ? 0 : sums[a];
        residualLogit += value * opportunity[(D + first + a) * K + head];
        directionLogit += value * direction[(D + first + a) * K + head];
      }
      return {
        head,
        baselineLogit: baseline[row] * w['baseline/kernel'][head] + w['baseline/bias'][head],
        residualLogit,
        directionLogit,
      };
    });
  }
}

/** Adds to each sum the products of the trunk from `from` on with a column; each keeps the order of its terms. */
function addProducts(trunk: Float32Array, from: number, length: number, columns: Float64Array, sums: Float64Array): void {
  let at = 0;
  for (let a = 0; a < sums.length; a += SIDE_BY_SIDE) {
    let s0 = sums[a], s1 = sums[a + 1], s2 = sums[a + 2], s3 = sums[a + 3], s4 = sums[a + 4], s5 = sums[a + 5]; // prettier-ignore
    for (let j = from; j < from + length; j++, at += SIDE_BY_SIDE) {
      const value = trunk[j];
      s0 += value * columns[at];
      s1 += value * columns[at + 1];
      s2 += value * columns[at + 2];
      s3 += value * columns[at + 3];
      s4 += value * columns[at + 4];
      s5 += value * columns[at + 5];
    }
    sums[a] = s0;
    sums[a + 1] = s1;
    sums[a + 2] = s2;
    sums[a + 3] = s3;
    sums[a + 4] = s4;
    sums[a + 5] = s5;
  }
}

const blocksOf = ({ adapterRank }: NetworkSpec): number => Math.ceil((adapterRank + 2) / SIDE_BY_SIDE);

/** Columns beyond the last one are 0. */
function columnsOf(spec: NetworkSpec, w: WeightArrays, head: number): Float64Array {
  const { dense: D, adapterRank: r, heads: K } = spec;
  const columns = new Float64Array(blocksOf(spec) * D * SIDE_BY_SIDE);
  for (let c = 0; c < r + 2; c++) {
    const at = Math.floor(c / SIDE_BY_SIDE) * D * SIDE_BY_SIDE + (c % SIDE_BY_SIDE);
    for (let j = 0; j < D; j++)
      columns[at + j * SIDE_BY_SIDE] =
        c < r ? w['adapters/kernel'][j * K * r + head * r + c] : w[c === r ? 'opportunity/kernel' : 'direction/kernel'][j * K + head];
  }
  return columns;
}
