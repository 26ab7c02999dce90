import type { Outcome } from '../ticks/labelOutcome.ts';
import { bpsText } from './numberText.ts';

/** The outcome of the window, in a sentence. */
export function outcomeText(outcome: Outcome, minMoveBps: number | null): string {
  if (outcome.status === 'unknown')
    return outcome.why === 'file_ends'
      ? 'Outcome unknown: the ticks end before the future time.'
      : 'Outcome not counted: the market paused before the future time.';
  if (minMoveBps === null) return 'Outcome not counted: no threshold could be derived for this window.';
  if (outcome.entry === null) return 'No price arrived between entry and future time: no move.';
  if (outcome.moveBps === 0) return 'Then the price did not move.';
  const size = bpsText(Math.abs(outcome.moveBps));
  const way = `went ${outcome.moveBps > 0 ? 'up' : 'down'} ${size}`;
  const isOver = Math.abs(outcome.moveBps) > minMoveBps;
  return `Then the price ${way}: ${isOver ? 'more than' : 'not more than'} the threshold of ${bpsText(minMoveBps)}.`;
}
