/**
 * Area under the ROC curve: the fraction of (positive, negative) pairs in which the positive scores higher; a tie counts half (Mann–Whitney
 * U with midranks; Hanley & McNeil 1982). O(n log n).
 *
 * @param scores length n, finite or infinite
 * @param labels length n, 0 or 1
 * @returns NaN if a class is missing or a score is NaN
 */
export function auc(scores: Float64Array, labels: Uint8Array): number {
  return preparedAuc(scores, labels)();
}

/** AUC under row weights, by default 1; NaN if a class has no weight. */
export type WeightedAuc = (weights?: Float64Array) => number;

/**
 * Sorts once; every call of the result is O(n). Weights are multiplicities: a row of weight 2 counts as two rows (they form no pair,
 * because they have the same class).
 */
export function preparedAuc(scores: Float64Array, labels: Uint8Array): WeightedAuc {
  const n = scores.length;
  if (labels.length !== n) throw new RangeError(`auc: ${n} scores, ${labels.length} labels`);
  if (scores.some(Number.isNaN)) return () => NaN;
  const order = sortedOrder(scores);
  // In order of score: 1 for a positive, and 1 for the last of equal scores.
  const isPositive = Float64Array.from(order, (row) => (labels[row] === 1 ? 1 : 0));
  const endsRun = Uint8Array.from(order, (row, k) => (k + 1 === n || scores[order[k + 1]] !== scores[row] ? 1 : 0));
  const ones = new Float64Array(n).fill(1);
  return (weights = ones) => {
    if (weights.length !== n) throw new RangeError(`auc: ${n} scores, ${weights.length} weights`);
    let wins = 0;
    let positives = 0;
    let negatives = 0;
    let runPositives = 0;
    let runNegatives = 0;
    // No branch on the label: in order of score it is nearly random, and a mispredicted branch costs more than the sum.
    for (let k = 0; k < n; k++) {
      const weight = weights[order[k]];
      const positive = weight * isPositive[k];
      runPositives += positive;
      runNegatives += weight - positive;
      if (endsRun[k] === 0) continue;
      wins += runPositives * (negatives + runNegatives * 0.5);
      positives += runPositives;
      negatives += runNegatives;
      runPositives = 0;
      runNegatives = 0;
    }
    return wins / (positives * negatives);
  };
}

/** Indices of `values` in ascending order of value; equal values in order of index. */
export function sortedOrder(values: Float64Array): Int32Array {
  return Int32Array.from(values, (_, i) => i).sort((a, b) => values[a] - values[b] || a - b);
}

/**
 * Standard error of the AUC of uninformative scores: sqrt((n1 + n0 + 1) / (12 n1 n0)) (Mann–Whitney without ties).
 *
 * @param n1 positives
 * @param n0 negatives
 */
export function aucStandardError(n1: number, n0: number): number {
  return Math.sqrt((n1 + n0 + 1) / (12 * n1 * n0));
}
