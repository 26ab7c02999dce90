import type { HeadManifest } from '../../src/model/ModelManifest.ts';
import { BUCKET_NAMES } from '../../src/features/horizonBuckets.ts';
import type { RowSet } from '../data/RowSet.ts';
import { LOG_THETA_RANGE } from '../data/planRows.ts';
import { chooseThreshold } from '../metrics/decision.ts';
import { sigmoid } from '../metrics/logistic.ts';
import type { Calibration, OutOfFold } from './outOfFold.ts';

/** Bands of ln(theta / theta*) whose decision thresholds are fitted separately. In service, each applies at the centre of its band. The last edge is that of the training range. */
const BAND_UPPER = [-0.75, -0.25, 0.25, 0.75, 1.35, LOG_THETA_RANGE[1]] as const;

/**
 * Smallest decision threshold. At a high threshold of the move the base rate is near 0, and 1.5 times as much would give a mark for a
 * probability of less than 1 %: true, but of no use to a trader.
 */
export const MIN_DECISION = 0.1;

export type FitHeadsOptions = {
  /** Calibration of each head; default: none. */
  readonly calibrations?: readonly Calibration[];
  /** Entries to fit on; default all. */
  readonly use?: (at: number) => boolean;
};

/**
 * Decision thresholds of every head from predictions on left-out rows. The precision of marks must be at least 1.5 times the base rate of
 * their instruments, over all left-out rows and in each fold with enough marks, and their probability at least 0.1. A head or band without
 * enough such rows abstains.
 */
export function fitHeads(rows: RowSet, out: OutOfFold, { calibrations = [], use = () => true }: FitHeadsOptions = {}): HeadManifest[] {
  return BUCKET_NAMES.map((name, head) => {
    const calibration = calibrations[head] ?? { slope: 1, intercept: 0 };
    const decision = BAND_UPPER.map((upper, band) => {
      const lower = band === 0 ? -Infinity : (BAND_UPPER[band - 1] as number);
      const members = Array.from({ length: out.count }, (_, at) => at).filter((at) => {
        const ratio = out.logThetaRatio[at] as number;
        return out.head[at] === head && ratio > lower && ratio <= upper + 1e-9 && use(at);
      });
      const p = Float64Array.from(members, (at) => sigmoid(calibration.slope * (out.logit[at] as number) + calibration.intercept));
      const y = Uint8Array.from(members, (at) => out.label[at] as number);
      const instruments = members.map((at) => rows.instrument[out.row[at] as number] as number);
      const part = Uint8Array.from(members, (at) => out.fold[at] as number);
      const chosen = chooseThreshold(p, y, { expected: ownRates(instruments, y), part });
      return chosen === null ? null : Math.max(MIN_DECISION, chosen.threshold);
    });
    return { name, calibration, bands: { upper: [...BAND_UPPER], decision }, directionPassed: false, residual: 'trained' };
  });
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
