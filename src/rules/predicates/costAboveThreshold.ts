import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** On mid prices, the spread was observed to be at least this many times the minimum cost. */
const UNDERESTIMATE = 4;

/**
 * The minimum cost c over the requested threshold, c / theta: false at 0.5, true at 1. The true cost may be several times the minimum,
 * which gives the upper bound. For a caller who sets `min_move_bps` to their own cost, this compares it with the prices. Unit: thresholds.
 */
export const costAboveThreshold: Predicate = {
  name: 'cost_above_threshold',
  about: 'The cost implied by the prices is close to the requested threshold, or above it.',
  unit: 'thresholds',
  numbers: [],
  evaluate({ measures, theta }) {
    const value = measures.cost / theta;
    if (!(value >= 0) || !Number.isFinite(value)) return UNKNOWN;
    return { lower: grade(value, 0.5, 1), upper: grade(UNDERESTIMATE * value, 0.5, 1), value };
  },
};
