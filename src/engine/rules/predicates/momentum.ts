import { UNKNOWN, type Predicate } from '../Predicate.ts';
import { inDeviations, priceBefore, sigmaRange } from './grading.ts';

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
  evaluate({ measures }) {
    const { timesS, logPrices } = measures;
    const sigmas = sigmaRange(measures);
    const n = timesS.length;
    if (sigmas === null || n < MIN_TICKS) return UNKNOWN;
    const spanS = Math.max(measures.horizonS, -timesS[n - MIN_TICKS]);
    let from = n;
    let sumT = 0;
    let sumP = 0;
    while (from > 0 && timesS[from - 1] >= -spanS) {
      from--;
      sumT += timesS[from];
      sumP += logPrices[from];
    }
    const count = n - from;
    const meanT = sumT / count;
    const meanP = sumP / count;
    let varianceT = 0;
    let covariance = 0;
    for (let i = from; i < n; i++) {
      const t = timesS[i] - meanT;
      varianceT += t * t;
      covariance += t * (logPrices[i] - meanP);
    }
    if (!(varianceT > 0)) return UNKNOWN;
    const lengthS = -timesS[from];
    const perSigma = covariance / varianceT / Math.sqrt(6 / (5 * lengthS));
    return inDeviations(perSigma, sigmas, measures, 3);
  },
};

/**
 * Change of the log price over the last L = min(H, W/2) seconds, over sigma sqrt(L): false at an absolute value of 1, true at 2.5. The bounds
 * use the largest and smallest volatility estimates. The change is the log of 1 + rate of change (Murphy 1999, ch. 10).
 * Unit: standard deviations, signed.
 */
export const rateOfChange: Predicate = {
  name: 'rate_of_change',
  about: 'The price is further from its value one horizon ago than a random walk would explain.',
  unit: 'standard deviations',
  evaluate({ measures }) {
    const sigmas = sigmaRange(measures);
    const spanS = Math.min(measures.horizonS, measures.windowS / 2);
    if (sigmas === null || !(spanS > 0)) return UNKNOWN;
    const perSigma = -priceBefore(measures, spanS) / Math.sqrt(spanS);
    return inDeviations(perSigma, sigmas, measures, 2.5);
  },
};

/**
 * Change over the last h = min(H, W/4) seconds minus the change over the h before, divided by its standard deviation under a random walk,
 * sigma sqrt(2 h): false at an absolute value of 1, true at 2.5. The bounds use the largest and smallest volatility estimates.
 * Unit: standard deviations, signed.
 */
export const acceleration: Predicate = {
  name: 'acceleration',
  about: 'The speed of the price has changed: the last section moved differently from the one before.',
  unit: 'standard deviations',
  evaluate({ measures }) {
    const sigmas = sigmaRange(measures);
    const spanS = Math.min(measures.horizonS, measures.windowS / 4);
    if (sigmas === null || !(spanS > 0)) return UNKNOWN;
    const perSigma = (priceBefore(measures, 2 * spanS) - 2 * priceBefore(measures, spanS)) / Math.sqrt(2 * spanS);
    return inDeviations(perSigma, sigmas, measures, 2.5);
  },
};

/** Ratio of the two time constants; a power of two, so that one exponential is enough for both. */
const FASTER = 4;

/**
 * Difference of two time-weighted exponential averages of log price with time constants a = tau/4 and b = tau = min(H, W/4) seconds;
 * each price is held until the next tick. Under a random walk its variance is sigma^2 (b - a)^2 / (2 (a + b)) (integral of the
 * squared difference of the kernels e^(-s/b) - e^(-s/a)). z = difference / standard deviation; false at |z| = 1, true at 2.5.
 * The bounds use the largest and smallest volatility estimates. Unit: standard deviations, signed.
 */
export const emaDifference: Predicate = {
  name: 'ema_difference',
  about: 'A fast average of the price is further from a slow one than a random walk would explain.',
  unit: 'standard deviations',
  evaluate({ measures }) {
    const { timesS, logPrices, windowS } = measures;
    const sigmas = sigmaRange(measures);
    const slowS = Math.min(measures.horizonS, windowS / 4);
    if (sigmas === null || !(slowS > 0)) return UNKNOWN;
    // The last price has been held for 0 s. `slowLeft` is the weight of everything older than the tick just added.
    let slow = 0;
    let fast = 0;
    let slowLeft = 1;
    let fastLeft = 1;
    let heldUntil = 0;
    for (let i = timesS.length - 2; i >= 0 && slowLeft > 1e-6; i--) {
      const from = timesS[i];
      const decay = decayed((heldUntil - from) / slowS);
      heldUntil = from;
      const slowNext = slowLeft * decay;
      const square = decay * decay;
      const fastNext = fastLeft * square * square;
      const logPrice = logPrices[i];
      slow += logPrice * (slowLeft - slowNext);
      fast += logPrice * (fastLeft - fastNext);
      slowLeft = slowNext;
      fastLeft = fastNext;
    }
    const oldest = logPrices[0];
    const difference = fast + fastLeft * oldest - (slow + slowLeft * oldest);
    const fastS = slowS / FASTER;
    const perSigma = difference / ((slowS - fastS) / Math.sqrt(2 * (slowS + fastS)));
    return inDeviations(perSigma, sigmas, measures, 2.5);
  },
};

/** e^-x; for the short gaps of a busy market by its series, whose first omitted term is below 3e-11. */
function decayed(x: number): number {
  return x < 0.05 ? 1 - x * (1 - (x / 2) * (1 - (x / 3) * (1 - (x / 4) * (1 - x / 5)))) : Math.exp(-x);
}
