import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** On mid prices the floor has been seen to understate the spread at least this many times. */
const UNDERSTATED = 4;

/**
 * The cost floor c against the threshold asked for, c / theta: false at 0.5, true at 1. The true cost may be several times the floor,
 * which is the upper bound; a caller who named their own cost by `min_move_bps` sees here what the prices say of it. Unit: thresholds.
 */
export const costAboveThreshold: Predicate = {
  name: 'cost_above_threshold',
  about: 'The cost implied by the prices is close to the requested threshold, or above it.',
  unit: 'thresholds',
  numbers: [],
  judge({ measures, theta }) {
    const value = measures.cost / theta;
    if (!(value >= 0) || !Number.isFinite(value)) return UNKNOWN;
    return { lower: grade(value, 0.5, 1), upper: grade(UNDERSTATED * value, 0.5, 1), value };
  },
};
