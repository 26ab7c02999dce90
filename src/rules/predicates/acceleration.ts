import { inDeviations } from '../inDeviations.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';
import { priceBefore } from '../priceBefore.ts';
import { sigmaRange } from '../sigmaRange.ts';

/**
 * Change over the last h = min(H, W/4) seconds minus the change over the h before, divided by its standard deviation under a random walk,
 * sigma sqrt(2 h): false at an absolute value of 1, true at 2.5. The bounds use the largest and smallest volatility estimates.
 * Unit: standard deviations, signed.
 */
export const acceleration: Predicate = {
  name: 'acceleration',
  about: 'The speed of the price has changed: the last section moved differently from the one before.',
  unit: 'standard deviations',
  numbers: [],
  evaluate({ measures }) {
    const sigmas = sigmaRange(measures);
    const spanS = Math.min(measures.horizonS, measures.windowS / 4);
    if (sigmas === null || !(spanS > 0)) return UNKNOWN;
    const perSigma = (priceBefore(measures, 2 * spanS) - 2 * priceBefore(measures, spanS)) / Math.sqrt(2 * spanS);
    return inDeviations(perSigma, sigmas, measures, 2.5);
  },
};
