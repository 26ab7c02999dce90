import { brierSkill, type BrierSkill } from '../../engine/scoring/brierSkill.ts';
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
  readonly brier: BrierSkill | null;
  /** Median smallest probability that is marked; null: no window could be marked. */
  readonly decision: number | null;
};

function tally(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

export function replayRecord(windows: readonly ReplayedWindow[]): ReplayRecord {
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
    brier: brierSkill(
      scoredWindows(counted).flatMap((one) =>
        one.baselineProbability === null ? [] : [{ ...one, baselineProbability: one.baselineProbability }],
      ),
    ),
    decision: decisions[Math.floor(decisions.length / 2)] ?? null,
  };
}

/** Compares the Brier scores of two versions on the windows that both answered; skill above 0: the first one is better. */
export function compareVersions(first: readonly ReplayedWindow[], second: readonly ReplayedWindow[]): BrierSkill | null {
  const other = new Map(scoredWindows(second).map((one) => [one.timeUs, one.probability]));
  return brierSkill(
    scoredWindows(first).flatMap((one) => {
      const baselineProbability = other.get(one.timeUs);
      return baselineProbability === undefined ? [] : [{ ...one, baselineProbability }];
    }),
  );
}
