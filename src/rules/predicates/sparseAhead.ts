import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/**
 * Ticks that the horizon may bring, H over the time between two: true at 2, false at 10. The mean gap of the window and its median gap are
 * two witnesses: where ticks come in clusters they disagree, and the bounds are the lesser and the greater. Unit: ticks.
 */
export const sparseAhead: Predicate = {
  name: 'sparse_ahead',
  about: 'Few ticks are expected within the horizon, perhaps none.',
  unit: 'ticks',
  numbers: [],
  judge({ measures }) {
    const byMean = (measures.horizonS * measures.distinctTicks) / measures.windowS;
    const byMedian = measures.horizonS / measures.medianGapS;
    if (!(byMean > 0) || !(byMedian > 0) || !Number.isFinite(byMean)) return UNKNOWN;
    return {
      lower: grade(Math.max(byMean, byMedian), 10, 2),
      upper: grade(Math.min(byMean, byMedian), 10, 2),
      value: byMean,
    };
  },
};
