import { brierSkill, type BrierSkill, type SeriesForecast, seriesSkill, type SeriesSkill } from '../../engine/scoring/brierSkill.ts';
import { US_PER_MS } from '../ticks/TickSeries.ts';
import { scoredWindows, rateOf, type Rate } from './curves.ts';
import type { ReplayedWindow } from './ReplayedWindow.ts';

/** What `tickmark replay` counts, over the windows of this page. */
export type ReplayRecord = {
  readonly windows: number;
  /** With a known outcome: only these count. */
  readonly counted: number;
  /** Windows that do not count, by reason. */
  readonly left: Readonly<Record<string, number>>;
  readonly marked: Rate;
  /** Marked windows after which the price moved by more than the threshold. */
  readonly hits: Rate;
  readonly baseRate: Rate;
  /** Windows without a mark, by their first reason, most frequent first. */
  readonly nulls: readonly (readonly [reason: string, count: number])[];
  readonly skill: SeriesSkill | null;
  /** Median smallest probability that is marked; null: no window could be marked. */
  readonly decision: number | null;
};

function tally(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Windows that the version was trained on teach the baselines. */
const forecastOf = ({ timeUs, probability, baselineProbability, moveBps, minMoveBps, outcome }: ReplayedWindow): SeriesForecast => ({
  ...{ timeUs, probability, baselineProbability, counts: typeof outcome === 'boolean' },
  moved: typeof outcome === 'boolean' ? outcome : outcome === 'trained_on' ? Math.abs(moveBps!) > minMoveBps! : null,
});

export function replayRecord(windows: readonly ReplayedWindow[], horizonMs: number): ReplayRecord {
  const counted = windows.filter(({ outcome }) => typeof outcome === 'boolean');
  const marked = counted.filter(({ isMarked }) => isMarked);
  const moved = (some: readonly ReplayedWindow[]): number => some.filter(({ outcome }) => outcome === true).length;
  const decisions = counted.flatMap(({ decision }) => decision ?? []).sort((a, b) => a - b);
  return {
    windows: windows.length,
    counted: counted.length,
    left: Object.fromEntries(tally(windows.flatMap(({ outcome }) => (typeof outcome === 'string' ? [outcome] : [])))),
    marked: rateOf(marked.length, counted.length),
    hits: rateOf(moved(marked), marked.length),
    baseRate: rateOf(moved(counted), counted.length),
    nulls: [...tally(counted.flatMap(({ reasons }) => reasons.slice(0, 1)))].sort(([, a], [, b]) => b - a),
    skill: seriesSkill(windows.map(forecastOf), horizonMs * US_PER_MS),
    decision: decisions[Math.floor(decisions.length / 2)] ?? null,
  };
}

/** Compares the Brier scores of two versions on the windows that both answered; skill above 0: the first one is better. */
export function compareVersions(first: readonly ReplayedWindow[], second: readonly ReplayedWindow[]): BrierSkill | null {
  const other = new Map(scoredWindows(second).map((one) => [one.timeUs, one.probability]));
  return brierSkill(
    scoredWindows(first).flatMap((one) => {
      const rivalProbability = other.get(one.timeUs);
      return rivalProbability === undefined ? [] : [{ ...one, rivalProbability }];
    }),
  );
}
