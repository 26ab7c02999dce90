import type { Predicate } from '../Predicate.ts';
import { nearLevel } from './nearLevel.ts';

/** The nearest swing level below the last price is within an expected move; formula in `nearLevel`. */
export const supportNear: Predicate = {
  name: 'support_near',
  about: 'A level at which earlier swings reversed lies below the last price, within an expected move.',
  unit: 'expected moves',
  numbers: ['price', 'touches'],
  evaluate: (context) => nearLevel(context, context.levels.supports[0]),
};
