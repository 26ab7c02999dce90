/** Index of the first of ascending times at or after `us`, from `from` on; `to` if there is none before it. */
export function firstAtOrAfter(timesUs: Float64Array | Int32Array, us: number, from = 0, to = timesUs.length): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timesUs[middle] < us) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of the last of ascending integer times at or before `us`; `from` − 1 if there is none from `from` on. */
export function lastAtOrBefore(timesUs: Float64Array, us: number, from = 0): number {
  return firstAtOrAfter(timesUs, Math.floor(us) + 1, from) - 1;
}
