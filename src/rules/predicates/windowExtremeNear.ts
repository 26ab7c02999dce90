import type { Predicate } from '../Predicate.ts';
import { nearExtreme } from './nearExtreme.ts';

/** The last price is near the window's high or low; formula in `nearExtreme`. */
export const windowExtremeNear: Predicate = {
  name: 'window_extreme_near',
  about: 'The highest or lowest price of the window is within an expected move.',
  unit: 'expected moves',
  numbers: ['price'],
  evaluate: (context) => nearExtreme(context, Infinity),
};
