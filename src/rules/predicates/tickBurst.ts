import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/**
 * Distinct ticks per second in the last B = min(W/4, max(H, 10 median gaps)) seconds, over those of the window: false at 1.5, true at 3. The
 * count k is uncertain by sqrt(k), as in a Poisson process. Unit: ratio.
 */
export const tickBurst: Predicate = {
  name: 'tick_burst',
  about: 'Ticks arrive faster now than over the whole window.',
  unit: 'times',
  numbers: [],
  evaluate({ measures }) {
    const { timesS, windowS } = measures;
    const burstS = Math.min(windowS / 4, Math.max(measures.horizonS, 10 * measures.medianGapS));
    if (!(burstS > 0) || timesS.length < 2) return UNKNOWN;
    let from = timesS.length - 1;
    while (from > 0 && (timesS[from - 1] as number) > -burstS) from--;
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
