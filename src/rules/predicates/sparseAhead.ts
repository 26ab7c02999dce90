import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/**
 * Expected ticks in the horizon, H over the gap between ticks: true at 2, false at 10. The mean gap and the median gap of the window give two
 * estimates, which disagree if ticks come in clusters. The bounds use the smaller and the larger one. Unit: ticks.
 */
export const sparseAhead: Predicate = {
  name: 'sparse_ahead',
  about: 'Few ticks are expected within the horizon, perhaps none.',
  unit: 'ticks',
  numbers: [],
  evaluate({ measures }) {
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
