import { fitLogistic } from '../metrics/logistic.ts';
import type { Calibration, OutOfFold } from './outOfFold.ts';

/** Fewest entries at other thresholds than theta*. */
const MIN_ENTRIES = 500;

/**
 * By how much the log-odds of the volatility baseline of a head fall with ln(theta / theta*), over all drawn thresholds; at theta* the baseline
 * stays as it is. Null without enough entries at other thresholds.
 */
export function thresholdSlope(
  { count, row, head: headOf, logThetaRatio, baselineLogit, label }: Omit<OutOfFold, 'draw' | 'fold' | 'logit' | 'directionLogit'>,
  head: number,
  { slope, intercept }: Calibration = { slope: 1, intercept: 0 },
  use: (at: number) => boolean = () => true,
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
