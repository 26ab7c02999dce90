import type { Predicate } from '../Predicate.ts';
import { beyondExtreme } from './beyondExtreme.ts';

/** The last price is a new high of the window; formula in `beyondExtreme`. */
export const breakoutUp: Predicate = {
  name: 'breakout_up',
  about: 'The last price is above every price of the window except the most recent ones.',
  unit: 'expected moves over the recent part',
  numbers: ['price'],
  evaluate: (context) => beyondExtreme(context, 1),
};
