import { inDeviations } from '../inDeviations.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';
import { priceBefore } from '../priceBefore.ts';
import { sigmaRange } from '../sigmaRange.ts';

/**
 * Change of the log price over the last L = min(H, W/2) seconds, over sigma sqrt(L): false at an absolute value of 1, true at 2.5. The bounds
 * use the largest and smallest volatility estimates. The change is the log of 1 + rate of change (Murphy 1999, ch. 10).
 * Unit: standard deviations, signed.
 */
export const rateOfChange: Predicate = {
  name: 'rate_of_change',
  about: 'The price is further from its value one horizon ago than a random walk would explain.',
  unit: 'standard deviations',
  numbers: [],
  evaluate({ measures }) {
    const sigmas = sigmaRange(measures);
    const spanS = Math.min(measures.horizonS, measures.windowS / 2);
    if (sigmas === null || !(spanS > 0)) return UNKNOWN;
    const perSigma = -priceBefore(measures, spanS) / Math.sqrt(spanS);
    return inDeviations(perSigma, sigmas, measures, 2.5);
  },
};
