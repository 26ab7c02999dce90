import type { WindowMeasures } from '../../features/WindowMeasures.ts';
import { UNKNOWN, type PredicateResult, type Predicate } from '../Predicate.ts';
import { grade } from './grading.ts';

/**
 * Recent volatility against the window's: sigma(30 s) / sigma(whole window), false at 1, true at `atTrue` (linear in the logarithm).
 * sigma(120 s) is a second, slower estimate; the bounds use the smaller and the larger one.
 */
function volatilityAgainstWindow({ sigmas }: WindowMeasures, atTrue: number): PredicateResult {
  const [fast, slow, , whole] = sigmas;
  if (!(fast > 0) || !(slow > 0) || !(whole > 0)) return UNKNOWN;
  const first = grade(Math.log(fast / whole), 0, Math.log(atTrue));
  const second = grade(Math.log(slow / whole), 0, Math.log(atTrue));
  return { lower: Math.min(first, second), upper: Math.max(first, second), value: fast / whole };
}

/** Volatility has doubled; formula in `volatilityAgainstWindow`. Unit: ratio. */
export const volatilityExpansion: Predicate = {
  name: 'volatility_expansion',
  about: 'The price moves faster now than over the whole window.',
  unit: 'times',
  evaluate: ({ measures }) => volatilityAgainstWindow(measures, 2),
};

/** Volatility has halved; formula in `volatilityAgainstWindow`. Unit: ratio. */
export const volatilitySqueeze: Predicate = {
  name: 'volatility_squeeze',
  about: 'The price moves more slowly now than over the whole window.',
  unit: 'times',
  evaluate: ({ measures }) => volatilityAgainstWindow(measures, 0.5),
};
