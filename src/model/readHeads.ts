import type { NetworkOutput, NetworkSpec } from './NetworkSpec.ts';
import type { WeightArrays } from './NetworkWeights.ts';

/** Inputs of the heads in a batch. */
export type HeadRows = { readonly size: number; readonly baseline: Float32Array; readonly heads: ArrayLike<number> };

/**
 * Computes the logits of every row from the trunk [B, D] with the head of the row. The same function as the end of `forward`, on arrays;
 * a test compares them. Computes only the adapter of the row's head, because the weights of the others are 0 (isConnected).
 */
export function readHeads(spec: NetworkSpec, w: WeightArrays, trunk: Float32Array, { size, baseline, heads }: HeadRows): NetworkOutput[] {
  const { dense: D, adapterRank: r, heads: K } = spec;
  const adapter = new Float64Array(r);
  return Array.from({ length: size }, (_, row) => {
    const head = heads[row] ?? 0;
    const from = row * D;
    for (let a = 0; a < r; a++) {
      let sum = w['adapters/bias'][head * r + a]!;
      for (let j = 0, at = head * r + a; j < D; j++, at += K * r) sum += trunk[from + j]! * w['adapters/kernel'][at]!;
      // NaN stays NaN, as in TensorFlow.
      adapter[a] = sum <= 0 ? 0 : sum;
    }
    const logit = (kernel: Float32Array, bias: Float32Array): number => {
      let sum = bias[head]!;
      for (let j = 0; j < D; j++) sum += trunk[from + j]! * kernel[j * K + head]!;
      for (let a = 0; a < r; a++) sum += adapter[a]! * kernel[(D + head * r + a) * K + head]!;
      return sum;
    };
    return {
      head,
      baselineLogit: baseline[row]! * w['baseline/kernel'][head]! + w['baseline/bias'][head]!,
      residualLogit: logit(w['opportunity/kernel'], w['opportunity/bias']),
      directionLogit: logit(w['direction/kernel'], w['direction/bias']),
    };
  });
}
