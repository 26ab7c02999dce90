import type { NetworkOutput, NetworkSpec } from './NetworkSpec.ts';
import type { WeightArrays } from './NetworkWeights.ts';

/** What of a batch says which head answers a row. */
export type HeadRows = { readonly size: number; readonly baseline: Float32Array; readonly heads: ArrayLike<number> };

/**
 * Logits of every row from the trunk [B, D], each under its own head: the same function as the end of `forward` (a test compares them), on arrays. Only the
 * row's own adapter is computed: the weights of the others to its logits are 0 (isConnected).
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
