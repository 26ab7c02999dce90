import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** After this many mean times between changes, silence is not chance (probability e^-10 under a Poisson process). */
const QUIET_CHANGES = 10;

/**
 * Time since the price last changed, over max(H, 10 mean times between the changes before it): false at 1, true at 3.
 * Known exactly; unknown with fewer than 3 changes. Unit: times.
 */
export const stale: Predicate = {
  name: 'stale',
  about: 'The price has not changed for long, relative to the horizon and to its usual pace.',
  unit: 'times',
  numbers: ['seconds'],
  evaluate({ measures, path: { window, lastChangeS } }) {
    const changes = window.ups + window.downs;
    if (changes < 3) return UNKNOWN;
    const habitS = (measures.windowS + lastChangeS) / changes;
    const value = -lastChangeS / Math.max(measures.horizonS, QUIET_CHANGES * habitS);
    const truth = grade(value, 1, 3);
    return { lower: truth, upper: truth, value, numbers: { seconds: -lastChangeS } };
  },
};
