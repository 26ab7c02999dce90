import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** A round number is a multiple of the smallest power of ten that is at least so many expected moves. */
const MOVES = 8;

/**
 * Round numbers gather orders (Osler 2003). Distance of the last price P to the nearest multiple of 10^ceil(log10(8 P s)), s = sigma(600) sqrt(H),
 * over P s: true at 0.25, false at 1, so that a price without preference is near at most one time in four. Bounce makes it uncertain by
 * half the cost floor. Unit: expected moves.
 */
export const roundNumberNear: Predicate = {
  name: 'round_number_near',
  about: 'A round price is within an expected move.',
  unit: 'expected moves',
  numbers: ['price'],
  judge({ measures }) {
    const { lastPrice, sigmaHorizon, cost } = measures;
    const move = lastPrice * sigmaHorizon;
    if (!(move > 0) || !Number.isFinite(move)) return UNKNOWN;
    // A whisker below the ceiling, so that a scale of exactly a power of ten does not hang on the last bit.
    const step = 10 ** Math.ceil(Math.log10(MOVES * move) - 1e-9);
    const price = Math.round(lastPrice / step) * step;
    const value = Math.abs(lastPrice - price) / move;
    const slack = cost / 2 / sigmaHorizon;
    return { lower: grade(value + slack, 1, 0.25), upper: grade(value - slack, 1, 0.25), value, numbers: { price } };
  },
};
