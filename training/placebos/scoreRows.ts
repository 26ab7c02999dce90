import type { ModelFolder } from '../../src/model/modelFiles.ts';
import type { RowSet } from '../data/RowSet.ts';
import { predictRows } from '../loop/predictRows.ts';
import { auc, aucStandardError } from '../metrics/auc.ts';
import { sigmoid } from '../metrics/logistic.ts';
import { allRows } from '../splits/planFolds.ts';

/** What a version says of rows at their default threshold: calibrated probability and the logit of up. */
export function scoreRows({ manifest, weights }: ModelFolder, rows: RowSet): { readonly p: Float64Array; readonly up: Float64Array } {
  const index = allRows(rows);
  const { baseline, residual, direction } = predictRows(manifest.network, weights, rows, index, 1);
  const p = Float64Array.from(index, (row, i) => {
    const { slope, intercept } = manifest.heads[rows.head[row] as number]?.calibration ?? { slope: 1, intercept: 0 };
    return sigmoid(slope * ((baseline[i] as number) + (residual[i] as number)) + intercept);
  });
  return { p, up: Float64Array.from(direction) };
}

/** AUC with three standard errors of chance, which is how far it may be from .5 where there is nothing to find. */
export function chanceTest(
  scores: Float64Array,
  labels: Uint8Array,
): { readonly auc: number; readonly allowed: number; readonly n: number } {
  const positives = labels.reduce((sum, label) => sum + label, 0);
  return { auc: auc(scores, labels), allowed: 3 * aucStandardError(positives, labels.length - positives), n: labels.length };
}
