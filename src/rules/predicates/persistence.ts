import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** Minimum of changes that are not 0. */
const MIN_CHANGES = 10;

/**
 * Relative strength over about one horizon with plain sums (Wilder 1978; Cutler's form), RSI = 100 rise / (rise + fall). One-sidedness
 * |RSI - 50| / 50 is false at 0.3, true at 0.7, with a standard error of 1 / sqrt(m) for m = (sum |r|)^2 / sum r^2 changes of equal weight.
 * Unit: points of 100; above 50 is up.
 */
export const persistence: Predicate = {
  name: 'persistence',
  about: 'The recent changes went mostly one way, by size.',
  unit: 'points',
  numbers: [],
  evaluate({ path: { recent } }) {
    const { ups, downs, rise, fall, squares } = recent;
    const length = rise + fall;
    if (ups + downs < MIN_CHANGES || !(squares > 0)) return UNKNOWN;
    const value = (100 * rise) / length;
    const size = Math.abs(value - 50) / 50;
    const slack = Math.sqrt(squares) / length;
    return { lower: grade(size - slack, 0.3, 0.7), upper: grade(size + slack, 0.3, 0.7), value };
  },
};
