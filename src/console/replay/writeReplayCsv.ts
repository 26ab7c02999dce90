import { writeTimestamp } from '../../ticks/timestamps.ts';
import type { ReplayedWindow } from './ReplayedWindow.ts';

const HEADER = 'timestamp,price,trend_identified,probability,baseline_probability,min_move_bps,move_bps,outcome,reasons';

/** One line for each window, in the columns of `tickmark replay --windows`; unknown values are empty. */
export function writeReplayCsv(windows: readonly ReplayedWindow[], prices: ArrayLike<number>): string {
  const lines = windows.map(({ origin, timeUs, isMarked, probability, baselineProbability, minMoveBps, moveBps, outcome, reasons }) => {
    const known = typeof outcome === 'string' ? outcome : Number(outcome);
    return [writeTimestamp(timeUs), prices[origin], isMarked ? 1 : '', probability, baselineProbability, minMoveBps, moveBps, known]
      .map((value) => value ?? '')
      .concat(reasons.join(' '))
      .join(',');
  });
  return `${[HEADER, ...lines].join('\n')}\n`;
}
