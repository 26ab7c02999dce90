import { UNKNOWN, type Predicate } from '../Predicate.ts';
import { grade } from './grading.ts';
import { SUM_LENGTH } from '../pathSums.ts';

/** Minimum of changes that are not 0. */
const MIN_CHANGES = 10;

/**
 * Net change over the length of the path, about one horizon back (efficiency ratio: Kaufman 1995): false at 0.2, true at 0.5.
 * Bounce of half the estimated cost at both ends makes the net change uncertain. Unit: fraction.
 */
export const efficiencyRatio: Predicate = {
  name: 'efficiency_ratio',
  about: 'The price moved nearly straight: its net change is large relative to its path.',
  unit: 'fraction',
  evaluate({ measures, path: { recent, recentFrom } }) {
    const length = recent.rise + recent.fall;
    if (recent.ups + recent.downs < MIN_CHANGES || !(length > 0)) return UNKNOWN;
    const net = Math.abs(recentFrom);
    const slack = Math.min(measures.cost, length - net);
    return {
      lower: grade((net - slack) / length, 0.2, 0.5),
      upper: grade((net + slack) / length, 0.2, 0.5),
      value: net / length,
    };
  },
};

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

/**
 * Relative strength over about one horizon with plain sums (Wilder 1978; Cutler's form), RSI = 100 rise / (rise + fall). One-sidedness
 * |RSI - 50| / 50 is false at 0.3, true at 0.7, with a standard error of 1 / sqrt(m) for m = (sum |r|)^2 / sum r^2 changes of equal weight.
 * Unit: points of 100; above 50 is up.
 */
export const persistence: Predicate = {
  name: 'persistence',
  about: 'The recent changes went mostly one way, by size.',
  unit: 'points',
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

/** Minimum of changes in the window. */
const MANY_CHANGES = 40;

/**
 * Autocorrelation of adjacent changes over the window, sum r_k r_k-1 / sum r_k^2. Negative if changes cancel each other, as in bid-ask
 * bounce (Roll 1984). False at -0.1, true at -0.4; standard error 1 / sqrt(n) (Bartlett 1946). Unit: correlation.
 */
export const reversals: Predicate = {
  name: 'reversals',
  about: 'Neighbouring changes cancel each other, as in a bounce between bid and ask.',
  unit: 'correlation',
  evaluate({ path: { window } }) {
    const { changes, squares, lagged } = window;
    if (changes < MANY_CHANGES || !(squares > 0)) return UNKNOWN;
    const value = lagged / squares;
    const slack = 1 / Math.sqrt(changes);
    return { lower: grade(value + slack, -0.1, -0.4), upper: grade(value - slack, -0.1, -0.4), value };
  },
};

/**
 * Variance ratio of five changes over one (Lo and MacKinlay 1988), over the window: mean of overlapping (r_k + .. + r_k-4)^2 over 5 times
 * the mean of r_k^2. 1 is a random walk; above 1, changes tend to continue: false at 1.1, true at 1.5. Standard error
 * sqrt(2 (2q - 1)(q - 1) / (3 q n)) with q = 5. Unit: ratio.
 */
export const varianceRatio: Predicate = {
  name: 'variance_ratio',
  about: 'Changes continue: five changes together vary more than five separate ones.',
  unit: 'times',
  evaluate({ path: { window } }) {
    const { changes, squares, fives } = window;
    if (changes < MANY_CHANGES || !(squares > 0)) return UNKNOWN;
    const value = fives / (changes - SUM_LENGTH + 1) / ((SUM_LENGTH * squares) / changes);
    const slack = Math.sqrt((2 * (2 * SUM_LENGTH - 1) * (SUM_LENGTH - 1)) / (3 * SUM_LENGTH * changes));
    return { lower: grade(value - slack, 1.1, 1.5), upper: grade(value + slack, 1.1, 1.5), value };
  },
};

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
  evaluate({ path: { window } }) {
    const { changes, squares, bipower } = window;
    if (changes < MANY_CHANGES || !(squares > 0)) return UNKNOWN;
    const value = Math.max(0, 1 - ((Math.PI / 2) * (bipower / (changes - 1))) / (squares / changes));
    const slack = Math.sqrt(RATIO_VARIANCE / changes);
    return { lower: grade(value - slack, 0.3, 0.7), upper: grade(value + slack, 0.3, 0.7), value };
  },
};
