import type { WindowMeasures } from '../features/WindowMeasures.ts';
import { grade } from './grade.ts';
import type { Judgement } from './Predicate.ts';

/**
 * A signed size that still has to be divided by sigma: `perSigma` / sigma, false at 1 in size, true at `atTrue`. The bounds come from the largest and the
 * smallest volatility estimate (`sigmaRange`), the value from that of 600 s.
 */
export function inDeviations(
  perSigma: number,
  sigmas: readonly [low: number, high: number],
  measures: WindowMeasures,
  atTrue: number,
): Judgement {
  const size = Math.abs(perSigma);
  return {
    lower: grade(size / sigmas[1], 1, atTrue),
    upper: grade(size / sigmas[0], 1, atTrue),
    value: perSigma / (measures.sigmas[2] > 0 ? measures.sigmas[2] : sigmas[1]),
  };
}
