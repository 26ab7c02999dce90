import type { WindowMeasures } from '../../features/WindowMeasures.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';
import { grade } from './grading.ts';

/**
 * Expected ticks in the horizon, H over the gap between ticks: true at 2, false at 10. The mean gap and the median gap of the window give two
 * estimates, which disagree if ticks come in clusters. The bounds use the smaller and the larger one. Unit: ticks.
 */
export const sparseAhead: Predicate = {
  name: 'sparse_ahead',
  about: 'Few ticks are expected within the horizon, perhaps none.',
  unit: 'ticks',
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
  evaluate({ measures }) {
    const { changes, lastChangeS } = countChanges(measures);
    if (changes < 3) return UNKNOWN;
    const habitS = (measures.windowS + lastChangeS) / changes;
    const value = -lastChangeS / Math.max(measures.horizonS, QUIET_CHANGES * habitS);
    const truth = grade(value, 1, 3);
    return { lower: truth, upper: truth, value, numbers: { seconds: -lastChangeS } };
  },
};

/** How often the price changed, and when last: seconds before the origin as a negative number, 0 without a change. */
function countChanges({ timesS, logPrices }: WindowMeasures): { readonly changes: number; readonly lastChangeS: number } {
  let changes = 0;
  let lastChangeS = 0;
  for (let i = 1; i < logPrices.length; i++) {
    if (logPrices[i] === logPrices[i - 1]) continue;
    changes++;
    lastChangeS = timesS[i];
  }
  return { changes, lastChangeS };
}

/**
 * Distinct ticks per second in the last B = min(W/4, max(H, 10 median gaps)) seconds, over those of the window: false at 1.5, true at 3. The
 * count k is uncertain by sqrt(k), as in a Poisson process. Unit: ratio.
 */
export const tickBurst: Predicate = {
  name: 'tick_burst',
  about: 'Ticks arrive faster now than over the whole window.',
  unit: 'times',
  evaluate({ measures }) {
    const { timesS, windowS } = measures;
    const burstS = Math.min(windowS / 4, Math.max(measures.horizonS, 10 * measures.medianGapS));
    if (!(burstS > 0) || timesS.length < 2) return UNKNOWN;
    let from = timesS.length - 1;
    while (from > 0 && timesS[from - 1] > -burstS) from--;
    const recent = timesS.length - from;
    const usual = (burstS * timesS.length) / windowS;
    const slack = Math.sqrt(recent);
    return {
      lower: grade((recent - slack) / usual, 1.5, 3),
      upper: grade((recent + slack) / usual, 1.5, 3),
      value: recent / usual,
    };
  },
};
