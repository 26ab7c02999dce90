import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** ln of the ratio at which volatility counts as squeezed for sure: halved. */
const HALVED = -Math.LN2;

/**
 * Recent volatility against the window's, the other way than `volatility_expansion`: sigma(30 s) / sigma(whole window), false at 1, true
 * at 1/2 (linear in the logarithm), with sigma(120 s) as a second witness. Unit: ratio.
 */
export const volatilitySqueeze: Predicate = {
  name: 'volatility_squeeze',
  about: 'The price moves slower now than over the whole window.',
  unit: 'times',
  numbers: [],
  judge({ measures }) {
    const [fast, slow, , whole] = measures.sigmas;
    if (!(fast > 0) || !(slow > 0) || !(whole > 0)) return UNKNOWN;
    const first = grade(Math.log(fast / whole), 0, HALVED);
    const second = grade(Math.log(slow / whole), 0, HALVED);
    return { lower: Math.min(first, second), upper: Math.max(first, second), value: fast / whole };
  },
};
