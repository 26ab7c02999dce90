import { inDeviations } from '../inDeviations.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';
import { sigmaRange } from '../sigmaRange.ts';

/** Minimum of ticks for the fit of a slope. */
const MIN_TICKS = 20;

/**
 * Trend over the last L = min(W, max(H, duration of 20 ticks)) seconds: least-squares slope b of log price on time, as a t-value
 * under a random walk, t = b / (sigma sqrt(6 / (5 L))) (variance of the slope of a Brownian path: Durlauf and Phillips 1988).
 * False at |t| = 1, true at 3. The bounds use the largest and smallest volatility estimates. Unit: t-value, signed.
 */
export const momentumSlope: Predicate = {
  name: 'momentum_slope',
  about: 'The price has been trending over about one horizon, more than a random walk would.',
  unit: 't-value',
  numbers: [],
  evaluate({ measures }) {
    const { timesS, logPrices } = measures;
    const sigmas = sigmaRange(measures);
    const n = timesS.length;
    if (sigmas === null || n < MIN_TICKS) return UNKNOWN;
    const spanS = Math.max(measures.horizonS, -(timesS[n - MIN_TICKS] as number));
    let from = n;
    let sumT = 0;
    let sumP = 0;
    while (from > 0 && (timesS[from - 1] as number) >= -spanS) {
      from--;
      sumT += timesS[from] as number;
      sumP += logPrices[from] as number;
    }
    const count = n - from;
    const meanT = sumT / count;
    const meanP = sumP / count;
    let varianceT = 0;
    let covariance = 0;
    for (let i = from; i < n; i++) {
      const t = (timesS[i] as number) - meanT;
      varianceT += t * t;
      covariance += t * ((logPrices[i] as number) - meanP);
    }
    if (!(varianceT > 0)) return UNKNOWN;
    const lengthS = -(timesS[from] as number);
    const perSigma = covariance / varianceT / Math.sqrt(6 / (5 * lengthS));
    return inDeviations(perSigma, sigmas, measures, 3);
  },
};
