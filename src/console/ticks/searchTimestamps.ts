/** The first index from `from` on whose stamp is not before `us`; the length where there is none. */
export function firstAtOrAfter(timesUs: Float64Array, us: number, from = 0): number {
  let [low, high] = [from, timesUs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timesUs[middle]! < us) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The last index whose stamp is not after `us`; -1 where there is none. */
export function lastAtOrBefore(timesUs: Float64Array, us: number): number {
  let [low, high] = [0, timesUs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timesUs[middle]! <= us) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
