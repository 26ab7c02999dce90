import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** Minimum of changes in the window. */
const MIN_CHANGES = 40;
/** Asymptotic variance of the jump ratio times n: pi^2 / 4 + pi - 5. */
const RATIO_VARIANCE = Math.PI ** 2 / 4 + Math.PI - 5;

/**
 * Fraction of the window's variance that comes from jumps, 1 - (pi/2) sum |r_k| |r_k-1| / sum r_k^2 (bipower variation: Barndorff-Nielsen and
 * Shephard 2004), at least 0: false at 0.3, true at 0.7, with its standard error as slack. On a coarse price grid, small changes look like
 * jumps, so the upper bound says little. Unit: fraction.
 */
export const jumpFraction: Predicate = {
  name: 'jump_share',
  about: 'A few large changes account for much of the movement.',
  unit: 'fraction',
  numbers: [],
  evaluate({ path: { window } }) {
    const { changes, squares, bipower } = window;
    if (changes < MIN_CHANGES || !(squares > 0)) return UNKNOWN;
    const value = Math.max(0, 1 - ((Math.PI / 2) * (bipower / (changes - 1))) / (squares / changes));
    const slack = Math.sqrt(RATIO_VARIANCE / changes);
    return { lower: grade(value - slack, 0.3, 0.7), upper: grade(value + slack, 0.3, 0.7), value };
  },
};
