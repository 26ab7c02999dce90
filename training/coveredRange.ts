import type { ModelManifest } from '../src/model/ModelManifest.ts';
import { LOG_THETA_RANGE } from './data/planRows.ts';
import type { RowSet } from './data/RowSet.ts';

/** The range of the training rows, for the manifest: outside of it a version answers null with a reason. */
export function coveredRange(
  horizonS: readonly [number, number],
  rows: Pick<RowSet, 'medianGapS'>,
  maxHorizonToWindow: number,
): ModelManifest['trained'] {
  return {
    horizonS,
    horizonToWindow: [0, maxHorizonToWindow],
    medianGapS: middleRange(rows.medianGapS),
    logThetaRatio: [-LOG_THETA_RANGE, LOG_THETA_RANGE],
  };
}

/** The range that contains all but one row in a thousand at either end. */
function middleRange(values: Float32Array): [number, number] {
  const sorted = values.slice().sort();
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] as number;
  return [at(0.001), at(0.999)];
}
