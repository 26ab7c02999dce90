import type { HeadManifest } from '../../src/engine/model/ModelManifest.ts';
import { BUCKET_NAMES } from '../../src/engine/features/horizonBuckets.ts';
import type { RowSet } from '../data/RowSet.ts';
import { chooseThreshold, cutOfShare } from '../metrics/decision.ts';
import { fitLogistic, sigmoid } from '../metrics/logistic.ts';
import type { Calibration, OutOfFold } from './outOfFold.ts';

/** The rows that the cut is chosen on have a threshold at or near theta*: largest |ln(theta / theta*)|. */
const NEAR = 0.25;

/** Smallest cut. Where moves are rare, 1.5 times the base rate would mark a probability of 1 %: true, but of no use to a trader. */
export const MIN_DECISION = 0.1;

export type FitHeadsOptions = {
  /** Calibration of each head; default: none. */
  readonly calibrations?: readonly Calibration[];
  /** Entries to fit on; default all. */
  readonly use?: (at: number) => boolean;
};

/**
 * The cut of every head, its smallest marked probability, from predictions on left-out rows. The precision of marks must be at least 1.5 times
 * the base rate of their instruments, over all left-out rows and in each fold with enough marks, and no instrument has more than a fifth of its
 * rows marked. A head without enough such rows abstains.
 */
export function fitHeads(rows: RowSet, out: OutOfFold, { calibrations = [], use = () => true }: FitHeadsOptions = {}): HeadManifest[] {
  return BUCKET_NAMES.map((name, head) => {
    const calibration = calibrations[head] ?? { slope: 1, intercept: 0 };
    const members = Array.from({ length: out.count }, (_, at) => at).filter((at) => {
      const ratio = out.logThetaRatio[at] as number;
      return out.head[at] === head && ratio > -NEAR && ratio <= NEAR + 1e-9 && use(at);
    });
    const p = Float64Array.from(members, (at) => sigmoid(calibration.slope * (out.logit[at] as number) + calibration.intercept));
    const y = Uint8Array.from(members, (at) => out.label[at] as number);
    const instruments = members.map((at) => rows.instrument[out.row[at] as number] as number);
    const part = Uint8Array.from(members, (at) => out.fold[at] as number);
    const least = cutOfShare(p, instruments);
    const chosen = chooseThreshold(p, y, { expected: ownRates(instruments, y), part, least });
    const cut = chosen === null ? null : Math.max(MIN_DECISION, chosen);
    const slope = thresholdSlope(out, head, calibration, use);
    return { name, calibration, ...(slope === null ? {} : { thresholdSlope: slope }), cut, directionPassed: false, residual: 'trained' };
  });
}

/** Fewest entries at other thresholds than theta*. */
const MIN_ENTRIES = 500;

/**
 * By how much the log-odds of the volatility baseline of a head fall with ln(theta / theta*), over all drawn thresholds; at theta* the baseline
 * stays as it is. Null without enough entries at other thresholds.
 */
function thresholdSlope(
  { count, row, head: headOf, logThetaRatio, baselineLogit, label }: Omit<OutOfFold, 'draw' | 'fold' | 'logit' | 'directionLogit'>,
  head: number,
  { slope, intercept }: Calibration,
  use: (at: number) => boolean,
): number | null {
  const own = new Map<number, number>();
  for (let at = 0; at < count; at++) if (headOf[at] === head && logThetaRatio[at] === 0) own.set(row[at], baselineLogit[at]);
  const members: number[] = [];
  for (let at = 0; at < count; at++) if (headOf[at] === head && logThetaRatio[at] !== 0 && own.has(row[at]) && use(at)) members.push(at);
  if (members.length < MIN_ENTRIES) return null;
  // Each entry also with its sign changed: by symmetry, the fitted intercept is 0.
  const both = (value: (at: number) => number): Float64Array =>
    Float64Array.from({ length: 2 * members.length }, (_, i) => (i % 2 === 0 ? 1 : -1) * value(members[i >> 1]));
  const offset = both((at) => slope * own.get(row[at])! + intercept);
  const ratios = both((at) => logThetaRatio[at]);
  const labels = Uint8Array.from(offset, (_, i) => (i % 2 === 0 ? label[members[i >> 1]] : 1 - label[members[i >> 1]]));
  return Math.max(0, -fitLogistic(ratios, labels.length, 1, labels, { offset }).weights[0]);
}

/** For each row the fraction of opportunities among the rows with its key. */
export function ownRates(key: ArrayLike<number>, y: Uint8Array): Float64Array {
  const tally = new Map<number, { rows: number; hits: number }>();
  y.forEach((label, at) => {
    const of = tally.get(key[at] as number) ?? { rows: 0, hits: 0 };
    tally.set(key[at] as number, { rows: of.rows + 1, hits: of.hits + label });
  });
  return Float64Array.from(y, (_, at) => {
    const { rows, hits } = tally.get(key[at] as number) as { rows: number; hits: number };
    return hits / rows;
  });
}
