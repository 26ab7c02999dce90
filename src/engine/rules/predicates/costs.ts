import { UNKNOWN, type Predicate } from '../Predicate.ts';
import { grade, sigmaRange } from './grading.ts';

/** On mid prices, the spread was observed to be at least this many times the estimated cost. */
const UNDERESTIMATE = 4;

/**
 * The estimated cost c over an expected move, c / (sigma(600) sqrt(H)): false at 0.5, true at 1.5. c is estimated from prices alone
 * (Roll 1984, and the smallest price step). For mid prices, the true cost may be several times higher, which gives the upper bound.
 * Unit: expected moves.
 */
export const costAboveMove: Predicate = {
  name: 'cost_above_move',
  about: 'The cost implied by the prices is large relative to an expected move over the horizon.',
  unit: 'expected moves',
  evaluate({ measures }) {
    if (!(measures.sigmaHorizon > 0)) return UNKNOWN;
    const value = measures.cost / measures.sigmaHorizon;
    return { lower: grade(value, 0.5, 1.5), upper: grade(UNDERESTIMATE * value, 0.5, 1.5), value };
  },
};

/**
 * The estimated cost c over the requested threshold, c / theta: false at 0.5, true at 1. For mid prices, the true cost may be several
 * times higher, which gives the upper bound. For a caller who sets `min_move_bps` to their own cost, this compares it with the prices.
 * Unit: thresholds.
 */
export const costAboveThreshold: Predicate = {
  name: 'cost_above_threshold',
  about: 'The cost implied by the prices is close to the requested threshold, or above it.',
  unit: 'thresholds',
  evaluate({ measures, theta }) {
    const value = measures.cost / theta;
    if (!(value >= 0) || !Number.isFinite(value)) return UNKNOWN;
    return { lower: grade(value, 0.5, 1), upper: grade(UNDERESTIMATE * value, 0.5, 1), value };
  },
};

/**
 * The threshold in expected moves, theta / (sigma sqrt(H)): false at 1, true at 3. Bounds from the largest and the smallest
 * volatility estimate; the value uses sigma(600). Unit: expected moves.
 */
export const thresholdFar: Predicate = {
  name: 'threshold_far',
  about: 'The threshold is beyond an expected move over the horizon.',
  unit: 'expected moves',
  evaluate({ measures, theta }) {
    const sigmas = sigmaRange(measures);
    if (sigmas === null || !(measures.sigmaHorizon > 0) || !(theta > 0)) return UNKNOWN;
    const perSigma = theta / Math.sqrt(measures.horizonS);
    return { lower: grade(perSigma / sigmas[1], 1, 3), upper: grade(perSigma / sigmas[0], 1, 3), value: theta / measures.sigmaHorizon };
  },
};
