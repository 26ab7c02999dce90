import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** Fewest changes that are not 0. */
const MIN_CHANGES = 10;

/**
 * Rises less falls over their number, about one horizon back; counts, where `persistence` weighs by size. Size false at 0.2, true at 0.5;
 * chance moves it by 1 / sqrt(number). Unit: share, signed.
 */
export const imbalance: Predicate = {
  name: 'imbalance',
  about: 'Many more of the recent changes went one way than the other, by count.',
  unit: 'fraction',
  numbers: ['ups', 'downs'],
  judge({ path: { recent } }) {
    const { ups, downs } = recent;
    const count = ups + downs;
    if (count < MIN_CHANGES) return UNKNOWN;
    const value = (ups - downs) / count;
    const size = Math.abs(value);
    const slack = 1 / Math.sqrt(count);
    return { lower: grade(size - slack, 0.2, 0.5), upper: grade(size + slack, 0.2, 0.5), value, numbers: { ups, downs } };
  },
};
