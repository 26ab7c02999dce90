import type { WindowMeasures } from '../features/WindowMeasures.ts';

/** Log price `agoS` seconds before the origin, relative to the last: that of the last tick at or before, else that of the first tick. */
export function priceBefore({ timesS, logPrices }: WindowMeasures, agoS: number): number {
  let low = 0;
  let high = timesS.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((timesS[middle] as number) <= -agoS) low = middle;
    else high = middle - 1;
  }
  return logPrices[low] ?? 0;
}
