import type { WindowMeasures } from '../features/WindowMeasures.ts';
import { grade } from './grade.ts';
import type { PredicateResult } from './Predicate.ts';

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
