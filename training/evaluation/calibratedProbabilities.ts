import type { HeadManifest } from '../../src/model/ModelManifest.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { PredictedRows } from '../loop/predictRows.ts';
import { sigmoid } from '../metrics/logistic.ts';

/**
 * Probabilities at the default threshold, one per row of `predicted.index`, with the calibration of the row's head. Throws RangeError for a
 * missing head.
 */
export function calibratedProbabilities(heads: readonly HeadManifest[], rows: RowSet, predicted: PredictedRows): Float64Array {
  const { index, draws, baseline, residual } = predicted;
  return Float64Array.from(index, (row, i) => {
    const head = heads[rows.head[row] as number];
    if (head === undefined)
      throw new RangeError(`calibratedProbabilities: row ${row} has head ${rows.head[row]}; there are ${heads.length} heads`);
    const { slope, intercept } = head.calibration;
    return sigmoid(slope * ((baseline[i * draws] as number) + (residual[i * draws] as number)) + intercept);
  });
}
