import type { Predicate } from '../Predicate.ts';
import { beyondExtreme } from './beyondExtreme.ts';

/** The last price is a new low of the window; formula in `beyondExtreme`. */
export const breakoutDown: Predicate = {
  name: 'breakout_down',
  about: 'The last price is below every price of the window except the most recent ones.',
  unit: 'expected moves over the recent part',
  numbers: ['price'],
  evaluate: (context) => beyondExtreme(context, -1),
};
