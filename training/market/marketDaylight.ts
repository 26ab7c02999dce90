import type { DaylightRule } from '../../src/engine/features/daylightMinutes.ts';
import { chooseDaylight, type DaylightEvidence, type MinuteMoves } from '../../src/engine/features/learnProfile.ts';
import { closesAsUsual } from './usualClose.ts';

/** Standard errors by which UTC must predict the days better than the rule of the United States to refute the close of the week. */
const MOST_AGAINST = 2;

export type MarketDaylight = DaylightEvidence & {
  /** The rule follows from the close of the week alone. */
  readonly byClose: boolean;
};

/**
 * The daylight-saving rule that the volatility shows; without such evidence, that of the United States for a market whose week ends at
 * 17:00 New York time.
 */
export function marketDaylight(moves: MinuteMoves): MarketDaylight {
  const evidence = chooseDaylight(moves);
  const byClose = evidence.rule === 'none' && (evidence.scores.us ?? 0) > -MOST_AGAINST && closesAsUsual(moves.minute);
  const rule: DaylightRule = byClose ? 'us' : evidence.rule;
  return { ...evidence, rule, byClose };
}
