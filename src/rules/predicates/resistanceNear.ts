import type { Predicate } from '../Predicate.ts';
import { nearLevel } from './nearLevel.ts';

/** The nearest swing level above the last price is within an expected move; formula in `nearLevel`. */
export const resistanceNear: Predicate = {
  name: 'resistance_near',
  about: 'A level at which earlier swings reversed lies at or above the last price, within an expected move.',
  unit: 'expected moves',
  numbers: ['price', 'touches'],
  evaluate: (context) => nearLevel(context, context.levels.resistances[0]),
};
