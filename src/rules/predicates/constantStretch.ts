import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** Longest time at one price as a share of the window: false at half, true at nine tenths. Known exactly. Unit: share of the window. */
export const constantStretch: Predicate = {
  name: 'constant_stretch',
  about: 'The price stood at one value for much of the window.',
  unit: 'of the window',
  numbers: [],
  judge({ measures }) {
    const { timesS, logPrices, windowS } = measures;
    if (!(windowS > 0)) return UNKNOWN;
    let longestS = 0;
    let from = 0;
    for (let i = 1; i <= logPrices.length; i++) {
      if (i < logPrices.length && logPrices[i] === logPrices[from]) continue;
      // A price is held until the stamp of the next one, the last price until the origin.
      const untilS = i < logPrices.length ? (timesS[i] as number) : 0;
      longestS = Math.max(longestS, untilS - (timesS[from] as number));
      from = i;
    }
    const value = longestS / windowS;
    const truth = grade(value, 0.5, 0.9);
    return { lower: truth, upper: truth, value };
  },
};
