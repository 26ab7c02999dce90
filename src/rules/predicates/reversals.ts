import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** Minimum of changes in the window. */
const MIN_CHANGES = 40;

/**
 * Autocorrelation of adjacent changes over the window, sum r_k r_k-1 / sum r_k^2. Negative if changes cancel each other, as in bid-ask
 * bounce (Roll 1984). False at -0.1, true at -0.4; standard error 1 / sqrt(n) (Bartlett 1946). Unit: correlation.
 */
export const reversals: Predicate = {
  name: 'reversals',
  about: 'Neighbouring changes cancel each other, as in a bounce between bid and ask.',
  unit: 'correlation',
  numbers: [],
  evaluate({ path: { window } }) {
    const { changes, squares, lagged } = window;
    if (changes < MIN_CHANGES || !(squares > 0)) return UNKNOWN;
    const value = lagged / squares;
    const slack = 1 / Math.sqrt(changes);
    return { lower: grade(value + slack, -0.1, -0.4), upper: grade(value - slack, -0.1, -0.4), value };
  },
};
