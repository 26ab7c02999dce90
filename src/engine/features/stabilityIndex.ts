const BINS = 10;
/** An empty bin counts as this fraction, so that the logarithm is finite. */
const LEAST_FRACTION = 1e-4;
/** Maximum of bins: the ten, and one below the smallest value. */
export const MAX_BINS = BINS + 1;

/**
 * Upper edges (inclusive, ascending) of ten bins of equal mass; the last bin has no edge. `sorted`: ascending 32-bit floats, at least one.
 * Equal edges are merged. If the smallest value fills a bin alone, one more edge lies just below it, to detect later smaller values.
 */
export function binEdges(sorted: ArrayLike<number>): number[] {
  const edges = [...new Set(Array.from({ length: BINS - 1 }, (_, i) => sorted[Math.floor(((i + 1) * sorted.length) / BINS)] as number))];
  const least = sorted[0];
  return edges[0] === least ? [nextBelow(least), ...edges] : edges;
}

/** Fraction of the ascending values in each bin; there is one bin more than edges. */
export function binFractions(sorted: ArrayLike<number>, edges: readonly number[]): number[] {
  const upTo = [...edges.map((edge) => countUpTo(sorted, edge)), sorted.length];
  return upTo.map((count, i) => (count - (upTo[i - 1] ?? 0)) / sorted.length);
}

/**
 * Population stability index Σ (q − p) ln(q / p) of two lists of fractions over the same bins (Siddiqi, Credit Risk Scorecards, 2006);
 * 0 if they are equal. Usual reading: below 0.1 no shift, 0.1 to 0.25 a moderate shift, above 0.25 a large shift.
 */
export function stabilityIndex(before: ArrayLike<number>, after: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < before.length; i++) {
    const p = Math.max(LEAST_FRACTION, before[i]);
    const q = Math.max(LEAST_FRACTION, after[i]);
    sum += (q - p) * Math.log(q / p);
  }
  return sum;
}

function countUpTo(sorted: ArrayLike<number>, limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The 32-bit float before `value`. */
function nextBelow(value: number): number {
  const float = new Float32Array([value === 0 ? 0 : value]);
  const bits = new Int32Array(float.buffer);
  if (value === 0) bits[0] = -0x7fffffff;
  else bits[0] = bits[0] + (value > 0 ? -1 : 1);
  return float[0] as number;
}
