import { grade } from '../grade.ts';
import { SUM_LENGTH } from '../pathSums.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** Minimum of changes in the window. */
const MIN_CHANGES = 40;

/**
 * Variance ratio of five changes over one (Lo and MacKinlay 1988), over the window: mean of overlapping (r_k + .. + r_k-4)^2 over 5 times
 * the mean of r_k^2. 1 is a random walk; above 1, changes tend to continue: false at 1.1, true at 1.5. Standard error
 * sqrt(2 (2q - 1)(q - 1) / (3 q n)) with q = 5. Unit: ratio.
 */
export const varianceRatio: Predicate = {
  name: 'variance_ratio',
  about: 'Changes continue: five changes together vary more than five separate ones.',
  unit: 'times',
  numbers: [],
  evaluate({ path: { window } }) {
    const { changes, squares, fives } = window;
    if (changes < MIN_CHANGES || !(squares > 0)) return UNKNOWN;
    const value = fives / (changes - SUM_LENGTH + 1) / ((SUM_LENGTH * squares) / changes);
    const slack = Math.sqrt((2 * (2 * SUM_LENGTH - 1) * (SUM_LENGTH - 1)) / (3 * SUM_LENGTH * changes));
    return { lower: grade(value - slack, 1.1, 1.5), upper: grade(value + slack, 1.1, 1.5), value };
  },
};
