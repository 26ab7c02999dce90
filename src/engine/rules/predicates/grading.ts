import type { WindowMeasures } from '../../features/WindowMeasures.ts';
import type { PredicateResult } from '../Predicate.ts';

/** Fewer distinct ticks make the estimates imprecise; with fewer than 40 there is no forecast. */
export const FEW_DISTINCT_TICKS = 80;

/**
 * Linear truth of `x`: 0 at `from`, 1 at `to`, clamped outside. `to` may be below `from`; then smaller values are truer.
 * `x` must not be NaN.
 */
export function grade(x: number, from: number, to: number): number {
  const fraction = (x - from) / (to - from);
  return fraction <= 0 ? 0 : fraction >= 1 ? 1 : fraction;
}

/**
 * Truth of a signed size in standard deviations, `perSigma` / sigma: false at an absolute size of 1, true at `atTrue`. The bounds use the
 * largest and smallest volatility estimates (`sigmaRange`), the value uses that of 600 s.
 */
export function inDeviations(
  perSigma: number,
  sigmas: readonly [low: number, high: number],
  measures: WindowMeasures,
  atTrue: number,
): PredicateResult {
  const size = Math.abs(perSigma);
  return {
    lower: grade(size / sigmas[1], 1, atTrue),
    upper: grade(size / sigmas[0], 1, atTrue),
    value: perSigma / (measures.sigmas[2] > 0 ? measures.sigmas[2] : sigmas[1]),
  };
}

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

/** Log price `agoS` seconds before the origin, relative to the last: that of the last tick at or before, else that of the first tick. */
export function priceBefore({ timesS, logPrices }: WindowMeasures, agoS: number): number {
  let low = 0;
  let high = timesS.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (timesS[middle] <= -agoS) low = middle;
    else high = middle - 1;
  }
  return logPrices[low] ?? 0;
}
