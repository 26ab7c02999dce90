import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';
import { sigmaRange } from '../sigmaRange.ts';

/**
 * The threshold in expected moves, theta / (sigma sqrt(H)): false at 1, true at 3. Bounds from the largest and the smallest
 * volatility estimate; the value uses sigma(600). Unit: expected moves.
 */
export const thresholdFar: Predicate = {
  name: 'threshold_far',
  about: 'The threshold is beyond an expected move over the horizon.',
  unit: 'expected moves',
  numbers: [],
  evaluate({ measures, theta }) {
    const sigmas = sigmaRange(measures);
    if (sigmas === null || !(measures.sigmaHorizon > 0) || !(theta > 0)) return UNKNOWN;
    const perSigma = theta / Math.sqrt(measures.horizonS);
    return { lower: grade(perSigma / sigmas[1], 1, 3), upper: grade(perSigma / sigmas[0], 1, 3), value: theta / measures.sigmaHorizon };
  },
};
