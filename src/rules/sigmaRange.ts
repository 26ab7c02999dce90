import type { WindowMeasures } from '../features/WindowMeasures.ts';

/** Smallest and largest of the window's volatility estimates above 0, log price per sqrt(second); null if there is none. */
export function sigmaRange(measures: WindowMeasures): readonly [low: number, high: number] | null {
  let low = Infinity;
  let high = 0;
  for (const sigma of measures.sigmas) {
    if (!(sigma > 0)) continue;
    if (sigma < low) low = sigma;
    if (sigma > high) high = sigma;
  }
  return high > 0 && Number.isFinite(high) ? [low, high] : null;
}
