import type { NetworkOutput, NetworkSpec, WeightArrays } from './NetworkWeights.ts';

/** Inputs of the heads in a batch. */
export type HeadRows = { readonly size: number; readonly baseline: Float32Array; readonly heads: ArrayLike<number> };

/**
 * Computes the logits of every row from the trunk [B, D] with the head of the row. The same function as the end of `forward`, on arrays;
 * a test compares them. Computes only the adapter of the row's head, because the weights of the others are 0 (isConnected).
 */
export function readHeads(spec: NetworkSpec, w: WeightArrays, trunk: Float32Array, { size, baseline, heads }: HeadRows): NetworkOutput[] {
  const { dense: D, adapterRank: r, heads: K } = spec;
  const [adapters, opportunity, direction] = [w['adapters/kernel'], w['opportunity/kernel'], w['direction/kernel']];
  const sums = new Float64Array(r);
  return Array.from({ length: size }, (_, row) => {
    const head = heads[row] ?? 0;
    const from = row * D;
    const first = head * r;
    for (let a = 0; a < r; a++) sums[a] = w['adapters/bias'][first + a]!;
    let residualLogit = w['opportunity/bias'][head]!;
    let directionLogit = w['direction/bias'][head]!;
    // One pass over the trunk: each sum keeps the order of its terms.
    for (let j = 0; j < D; j++) {
      const value = trunk[from + j]!;
      const at = j * K * r + first;
      for (let a = 0; a < r; a++) sums[a]! += value * adapters[at + a]!;
      residualLogit += value * opportunity[j * K + head]!;
      directionLogit += value * direction[j * K + head]!;
    }
    for (let a = 0; a < r; a++) {
      // NaN stays NaN, as in TensorFlow.
      const value = sums[a]! <= 0 ? 0 : sums[a]!;
      residualLogit += value * opportunity[(D + first + a) * K + head]!;
      directionLogit += value * direction[(D + first + a) * K + head]!;
    }
    return {
      head,
      baselineLogit: baseline[row]! * w['baseline/kernel'][head]! + w['baseline/bias'][head]!,
      residualLogit,
      directionLogit,
    };
  });
}
