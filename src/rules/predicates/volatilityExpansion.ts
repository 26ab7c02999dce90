import type { Predicate } from '../Predicate.ts';
import { volatilityAgainstWindow } from './volatilityAgainstWindow.ts';

/** Volatility has doubled; formula in `volatilityAgainstWindow`. Unit: ratio. */
export const volatilityExpansion: Predicate = {
  name: 'volatility_expansion',
  about: 'The price moves faster now than over the whole window.',
  unit: 'times',
  numbers: [],
  evaluate: ({ measures }) => volatilityAgainstWindow(measures, 2),
};
