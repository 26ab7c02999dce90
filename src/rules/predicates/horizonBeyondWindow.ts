import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** H / W: the future asked for against the past that was sent. False at 1/20, where past moves can still be counted, true at 1. Known exactly. Unit: windows. */
export const horizonBeyondWindow: Predicate = {
  name: 'horizon_beyond_window',
  about: 'The future timestamp is far away relative to the time span of the ticks.',
  unit: 'windows',
  numbers: [],
  judge({ measures }) {
    const value = measures.horizonS / measures.windowS;
    if (!(value > 0) || !Number.isFinite(value)) return UNKNOWN;
    // Linear in the logarithm: what counts is how many times the past fits.
    const truth = grade(Math.log(value), Math.log(1 / 20), 0);
    return { lower: truth, upper: truth, value };
  },
};
