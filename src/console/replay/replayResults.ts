import type { BrierSkill } from '../../engine/scoring/brierSkill.ts';
import { payoffTable, proposeCut, type CutLine, type PaidWindow, type PayoffTable, type Wish } from '../../engine/scoring/payoff.ts';
import { calibrationOf, scoredWindows, rankWindows, rateOverTime, type CalibrationBin, type Part, type Ranked } from './curves.ts';
import { leadRow, thresholdName, type LeadRow } from './leadTable.ts';
import type { ReplayedWindow } from './ReplayedWindow.ts';
import type { ReplayPlan } from './ReplayRun.ts';
import type { FormOptions } from '../FormOptions.ts';
import { compareVersions, replayRecord, type ReplayRecord } from './replayRecord.ts';

/** What callers may want of marks: one in so many windows, or so many that come true. */
const WISHES: readonly Wish[] = [{ share: 0.01 }, { share: 0.05 }, { hitRate: 0.5 }, { hitRate: 0.7 }];

/** All that the page shows of a replay. */
export type ReplayResults = {
  readonly record: ReplayRecord;
  /** Marks next to base rate and baseline; of the second version too. */
  readonly lead: readonly LeadRow[];
  readonly parts: readonly Part[];
  /** By probability, for the curve of the decision threshold. */
  readonly ranked: Ranked;
  readonly calibration: readonly CalibrationBin[];
  /** What trades would have made, and the cuts that wishes need; null: the replay goes on, or no window has an outcome. */
  readonly paid: { readonly table: PayoffTable; readonly proposals: readonly (readonly [Wish, CutLine | null])[] } | null;
  /** The marked windows, in order of time. */
  readonly marks: readonly ReplayedWindow[];
  /** Of a second version, on the same windows. */
  readonly other: { readonly record: ReplayRecord; readonly compared: BrierSkill | null } | null;
};

/** `isEnd`: no window follows. Only then the payoff is computed, which takes a while. */
export function replayResults(
  windows: readonly ReplayedWindow[],
  other: readonly ReplayedWindow[] | undefined,
  isEnd: boolean,
  { options, ...plan }: Pick<ReplayPlan, 'horizonMs' | 'count'> & { readonly options: FormOptions },
): ReplayResults {
  const scored = scoredWindows(windows);
  return {
    record: replayRecord(windows, plan.horizonMs),
    lead: [
      leadRow(plan, thresholdName(options.minMoveBps), windows),
      ...(other === undefined ? [] : [leadRow(plan, 'the other version', other)]),
    ],
    parts: rateOverTime(windows),
    ranked: rankWindows(scored),
    calibration: calibrationOf(scored),
    paid: isEnd ? paidOf(windows) : null,
    marks: windows.filter(({ isMarked }) => isMarked),
    other: other === undefined ? null : { record: replayRecord(other, plan.horizonMs), compared: compareVersions(windows, other) },
  };
}

function paidOf(windows: readonly ReplayedWindow[]): ReplayResults['paid'] {
  const paid = windows.flatMap(
    ({ timeUs, probability, baselineProbability, isMarked, moveBps, minMoveBps: costBps, isSeen }): PaidWindow[] =>
      isSeen || probability === null || baselineProbability === null || moveBps === null || costBps === null
        ? []
        : [{ timeUs, probability, baselineProbability, isMarked, moveBps, costBps }],
  );
  if (paid.length === 0) return null;
  return { table: payoffTable(paid), proposals: WISHES.map((wish) => [wish, proposeCut(paid, wish)]) };
}
