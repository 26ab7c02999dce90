import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** ln of the ratio at which volatility counts as expanded for sure: doubled. */
const DOUBLED = Math.LN2;

/**
 * Recent volatility against the window's: sigma(30 s) / sigma(whole window), false at 1, true at 2 (linear in the logarithm).
 * sigma(120 s) is a second, slower witness: the bounds are the lesser and the greater of both. Unit: ratio.
 */
export const volatilityExpansion: Predicate = {
  name: 'volatility_expansion',
  about: 'The price moves faster now than over the whole window.',
  unit: 'times',
  numbers: [],
  judge({ measures }) {
    const [fast, slow, , whole] = measures.sigmas;
    if (!(fast > 0) || !(slow > 0) || !(whole > 0)) return UNKNOWN;
    const first = grade(Math.log(fast / whole), 0, DOUBLED);
    const second = grade(Math.log(slow / whole), 0, DOUBLED);
    return { lower: Math.min(first, second), upper: Math.max(first, second), value: fast / whole };
  },
};
