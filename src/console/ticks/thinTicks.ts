/**
 * Indices of at most about `most` ticks of `[from, to]` that draw the same picture: of each of equal stretches its first, lowest, highest and last,
 * in order. All of them where there are no more.
 */
export function thinTicks(prices: Float64Array, from: number, to: number, most: number): Uint32Array {
  const count = to - from + 1;
  if (count <= most) return Uint32Array.from({ length: Math.max(0, count) }, (_, i) => from + i);
  const stretches = Math.max(1, Math.floor(most / 4));
  const kept: number[] = [];
  for (let stretch = 0; stretch < stretches; stretch++) {
    const first = from + Math.floor((stretch * count) / stretches);
    const end = from + Math.floor(((stretch + 1) * count) / stretches);
    let [low, high] = [first, first];
    for (let i = first + 1; i < end; i++) {
      if (prices[i]! < prices[low]!) low = i;
      if (prices[i]! > prices[high]!) high = i;
    }
    for (const at of [first, Math.min(low, high), Math.max(low, high), end - 1]) if (kept.length === 0 || at > kept.at(-1)!) kept.push(at);
  }
  return Uint32Array.from(kept);
}
