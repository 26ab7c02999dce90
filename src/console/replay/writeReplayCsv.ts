import { writeTimestamp } from '../../ticks/timestamps.ts';
import { csvText } from '../csvText.ts';
import type { ReplayedWindow } from './ReplayedWindow.ts';

const COLUMNS = [
  ...['timestamp', 'price', 'trend_identified', 'probability', 'baseline_probability', 'min_move_bps', 'move_bps', 'outcome', 'reasons'],
];

/** One line for each window, in the columns of `tickmark replay --windows`. */
export const writeReplayCsv = (windows: readonly ReplayedWindow[], prices: ArrayLike<number>): string =>
  csvText(
    COLUMNS,
    windows.map(({ origin, timeUs, isMarked, probability, baselineProbability, minMoveBps, moveBps, outcome, reasons }) => {
      const known = typeof outcome === 'string' ? outcome : Number(outcome);
      const of = [writeTimestamp(timeUs), prices[origin], isMarked ? 1 : '', probability, baselineProbability, minMoveBps, moveBps];
      return [...of, known, reasons.join(' ')];
    }),
  );
