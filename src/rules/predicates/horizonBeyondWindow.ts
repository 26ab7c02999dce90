import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** H / W, the horizon over the window: false at 1/20, where past moves can still be counted, true at 1. Known exactly. Unit: windows. */
export const horizonBeyondWindow: Predicate = {
  name: 'horizon_beyond_window',
  about: 'The future timestamp is far away relative to the time span of the ticks.',
  unit: 'windows',
  numbers: [],
  evaluate({ measures }) {
    const value = measures.horizonS / measures.windowS;
    if (!(value > 0) || !Number.isFinite(value)) return UNKNOWN;
    // Linear in the logarithm, because the ratio of the two durations counts.
    const truth = grade(Math.log(value), Math.log(1 / 20), 0);
    return { lower: truth, upper: truth, value };
  },
};
