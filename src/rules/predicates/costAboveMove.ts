import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** On mid prices, the spread was observed to be at least this many times the minimum cost. */
const UNDERESTIMATE = 4;

/**
 * The minimum cost c over an expected move, c / (sigma(600) sqrt(H)): false at 0.5, true at 1.5. c is estimated from prices alone
 * (Roll 1984, and the smallest price step). The true cost may be several times higher, which gives the upper bound.
 * Unit: expected moves.
 */
export const costAboveMove: Predicate = {
  name: 'cost_above_move',
  about: 'The cost implied by the prices is large relative to an expected move over the horizon.',
  unit: 'expected moves',
  numbers: [],
  evaluate({ measures }) {
    if (!(measures.sigmaHorizon > 0)) return UNKNOWN;
    const value = measures.cost / measures.sigmaHorizon;
    return { lower: grade(value, 0.5, 1.5), upper: grade(UNDERESTIMATE * value, 0.5, 1.5), value };
  },
};
