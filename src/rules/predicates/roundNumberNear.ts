import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** A round number is a multiple of the smallest power of ten that is at least this many expected moves. */
const MOVES = 8;

/**
 * Orders cluster at round numbers (Osler 2003). Distance of the last price P to the nearest multiple of 10^ceil(log10(8 P s)), over P s,
 * with s = sigma(600) sqrt(H): true at 0.25, false at 1, so that a random price is near at most one time in four. Bounce makes it
 * uncertain by half the minimum cost. Unit: expected moves.
 */
export const roundNumberNear: Predicate = {
  name: 'round_number_near',
  about: 'A round price is within an expected move.',
  unit: 'expected moves',
  numbers: ['price'],
  evaluate({ measures }) {
    const { lastPrice, sigmaHorizon, cost } = measures;
    const move = lastPrice * sigmaHorizon;
    if (!(move > 0) || !Number.isFinite(move)) return UNKNOWN;
    // Slightly less, so that a scale of exactly a power of ten does not depend on the last bit.
    const step = 10 ** Math.ceil(Math.log10(MOVES * move) - 1e-9);
    const price = Math.round(lastPrice / step) * step;
    const value = Math.abs(lastPrice - price) / move;
    const slack = cost / 2 / sigmaHorizon;
    return { lower: grade(value + slack, 1, 0.25), upper: grade(value - slack, 1, 0.25), value, numbers: { price } };
  },
};
