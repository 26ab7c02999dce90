import type { BrierSkill } from '../../engine/scoring/brierSkill.ts';
import { calibrationOf, scoredWindows, rateOverTime, thresholdCurve, type CalibrationBin, type CurvePoint, type Part } from './curves.ts';
import type { ReplayedWindow } from './ReplayedWindow.ts';
import { compareVersions, replayRecord, type ReplayRecord } from './replayRecord.ts';

/** All that the page shows of a replay. */
export type ReplayResults = {
  readonly record: ReplayRecord;
  readonly parts: readonly Part[];
  readonly curve: readonly CurvePoint[];
  readonly calibration: readonly CalibrationBin[];
  /** Last ticks of the marked windows, ascending. */
  readonly marks: readonly number[];
  /** Of a second version, on the same windows. */
  readonly other: { readonly record: ReplayRecord; readonly compared: BrierSkill | null } | null;
};

export function replayResults(windows: readonly ReplayedWindow[], other: readonly ReplayedWindow[] | undefined): ReplayResults {
  const scored = scoredWindows(windows);
  return {
    record: replayRecord(windows),
    parts: rateOverTime(windows),
    curve: thresholdCurve(scored),
    calibration: calibrationOf(scored),
    marks: windows.filter(({ isMarked }) => isMarked).map(({ origin }) => origin),
    other: other === undefined ? null : { record: replayRecord(other), compared: compareVersions(windows, other) },
  };
}
