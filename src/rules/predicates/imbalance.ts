import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** Minimum of changes that are not 0. */
const MIN_CHANGES = 10;

/**
 * (Rises - falls) / (rises + falls) by count, about one horizon back; `persistence` weights by size. Absolute value false at 0.2, true at
 * 0.5, with a standard error of 1 / sqrt(number). Unit: fraction, signed.
 */
export const imbalance: Predicate = {
  name: 'imbalance',
  about: 'Many more of the recent changes went one way than the other, by count.',
  unit: 'fraction',
  numbers: ['ups', 'downs'],
  evaluate({ path: { recent } }) {
    const { ups, downs } = recent;
    const count = ups + downs;
    if (count < MIN_CHANGES) return UNKNOWN;
    const value = (ups - downs) / count;
    const size = Math.abs(value);
    const slack = 1 / Math.sqrt(count);
    return { lower: grade(size - slack, 0.2, 0.5), upper: grade(size + slack, 0.2, 0.5), value, numbers: { ups, downs } };
  },
};
