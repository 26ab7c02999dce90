import { inDeviations } from '../inDeviations.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';
import { sigmaRange } from '../sigmaRange.ts';

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
  numbers: [],
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
      const from = timesS[i] as number;
      const decay = decayed((heldUntil - from) / slowS);
      heldUntil = from;
      const slowNext = slowLeft * decay;
      const square = decay * decay;
      const fastNext = fastLeft * square * square;
      const logPrice = logPrices[i] as number;
      slow += logPrice * (slowLeft - slowNext);
      fast += logPrice * (fastLeft - fastNext);
      slowLeft = slowNext;
      fastLeft = fastNext;
    }
    const oldest = logPrices[0] as number;
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
