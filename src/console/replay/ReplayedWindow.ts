import { probabilityOf } from '../answer/describeAnswer.ts';
import type { Forecast } from '../service/Service.ts';
import { labelOutcome } from '../ticks/labelOutcome.ts';
import type { TickSeries } from '../ticks/TickSeries.ts';
import { writeTimestamp } from '../../ticks/timestamps.ts';
import { csvText } from '../csvText.ts';

/** Why a window does not count; `trained_on`: the version was trained on its ticks. `refused`: the service rejected them. */
export type Uncounted = 'file_ends' | 'market_paused' | 'level_changed' | 'no_threshold' | 'trained_on' | 'refused';

/** One window of a replay: the answer at its last tick, and the outcome. */
export type ReplayedWindow = {
  readonly origin: number;
  /** Time of its last tick. */
  readonly timeUs: number;
  readonly isMarked: boolean;
  /** Codes of the reasons of a null; none: marked, or refused. */
  readonly reasons: readonly string[];
  /** Probability of a move above the threshold; null if the network was not run. */
  readonly probability: number | null;
  /** The same by the volatility baseline alone. */
  readonly baselineProbability: number | null;
  /** Smallest probability that is marked; null: the head abstains. */
  readonly decision: number | null;
  readonly minMoveBps: number | null;
  /** Null where it is not known. */
  readonly moveBps: number | null;
  readonly isSeen: boolean;
  /** Whether the move was larger than the threshold, or why that does not count. */
  readonly outcome: boolean | Uncounted;
};

export function windowOf(series: TickSeries, origin: number, horizonMs: number, { mark, detail }: Forecast): ReplayedWindow {
  const { opportunity, logit, reasons, input } = detail;
  const label = labelOutcome(series, origin, horizonMs, input.median_gap_ms);
  const { min_move_bps: minMoveBps } = opportunity;
  const moveBps = label.status === 'known' ? label.moveBps : null;
  const isSeen = input.notes.includes('seen_in_training');
  const why = label.status === 'unknown' ? label.why : minMoveBps === null ? 'no_threshold' : isSeen ? 'trained_on' : null;
  return {
    origin,
    timeUs: series.timesUs[origin],
    isMarked: mark === 1,
    reasons: reasons.map(({ code }) => code),
    probability: opportunity.probability,
    baselineProbability: logit === null ? null : probabilityOf(logit.baseline),
    decision: opportunity.decision_threshold,
    minMoveBps,
    moveBps,
    isSeen,
    outcome: why ?? Math.abs(moveBps!) > minMoveBps!,
  };
}

export function refusedWindow(series: TickSeries, origin: number): ReplayedWindow {
  return {
    ...{ origin, timeUs: series.timesUs[origin], isMarked: false, reasons: [], probability: null, baselineProbability: null },
    ...{ decision: null, minMoveBps: null, moveBps: null, isSeen: false, outcome: 'refused' },
  };
}

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
