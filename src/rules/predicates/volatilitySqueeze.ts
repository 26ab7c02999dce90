import type { Predicate } from '../Predicate.ts';
import { volatilityAgainstWindow } from './volatilityAgainstWindow.ts';

/** Volatility has halved; formula in `volatilityAgainstWindow`. Unit: ratio. */
export const volatilitySqueeze: Predicate = {
  name: 'volatility_squeeze',
  about: 'The price moves more slowly now than over the whole window.',
  unit: 'times',
  numbers: [],
  evaluate: ({ measures }) => volatilityAgainstWindow(measures, 0.5),
};
