/**
 * Quickselect (Hoare): afterwards `values[k]` is the k-th smallest of the first `count`, nothing before it is larger
 * and nothing after it smaller. Reorders in place. Pivot: median of three.
 */
export function selectKth(values: Float64Array, count: number, k: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const a = values[low];
    const b = values[(low + high) >> 1];
    const c = values[high];
    const pivot = a < b ? (b < c ? b : a < c ? c : a) : a < c ? a : b < c ? c : b;
    let i = low;
    let j = high;
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i <= j) {
        const swap = values[i];
        values[i++] = values[j];
        values[j--] = swap;
      }
    }
    if (k <= j) high = j;
    else if (k >= i) low = i;
    else break;
  }
  return values[k];
}

/** Linear quantile (numpy's default) of the first `count` values, reordered in place; `count` at least 1. */
export function quantile(values: Float64Array, count: number, probability: number): number {
  const position = probability * (count - 1);
  const k = Math.floor(position);
  const lower = selectKth(values, count, k);
  if (k === position) return lower;
  let upper = Infinity;
  for (let i = k + 1; i < count; i++) if (values[i] < upper) upper = values[i];
  return lower + (position - k) * (upper - lower);
}
