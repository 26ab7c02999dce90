import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** Minimum of changes that are not 0. */
const MIN_CHANGES = 10;

/**
 * Net change over the length of the path, about one horizon back (efficiency ratio: Kaufman 1995): false at 0.2, true at 0.5.
 * Bounce of half the minimum cost at both ends makes the net change uncertain. Unit: fraction.
 */
export const efficiencyRatio: Predicate = {
  name: 'efficiency_ratio',
  about: 'The price moved nearly straight: its net change is large relative to its path.',
  unit: 'fraction',
  numbers: [],
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
