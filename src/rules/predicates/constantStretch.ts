import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** Longest time at one price as a fraction of the window: false at 0.5, true at 0.9. Known exactly. Unit: fraction of the window. */
export const constantStretch: Predicate = {
  name: 'constant_stretch',
  about: 'The price stayed at one value for much of the window.',
  unit: 'fraction of the window',
  numbers: [],
  evaluate({ measures: { windowS }, path: { longestStillS } }) {
    if (!(windowS > 0)) return UNKNOWN;
    const value = longestStillS / windowS;
    const truth = grade(value, 0.5, 0.9);
    return { lower: truth, upper: truth, value };
  },
};
