import type { ModelFolder } from '../../src/model/modelFiles.ts';
import type { RowSet } from '../data/RowSet.ts';
import { calibratedProbabilities } from '../evaluation/calibratedProbabilities.ts';
import { predictRows } from '../loop/predictRows.ts';
import { auc, aucStandardError } from '../metrics/auc.ts';
import { allRows } from '../splits/planFolds.ts';

/** What a version says of rows at their default threshold: calibrated probability and the logit of up. */
export function scoreRows({ manifest, weights }: ModelFolder, rows: RowSet): { readonly p: Float64Array; readonly up: Float64Array } {
  const predicted = predictRows(manifest.network, weights, rows, allRows(rows), 1);
  return { p: calibratedProbabilities(manifest.heads, rows, predicted), up: Float64Array.from(predicted.direction) };
}

/** AUC with three standard errors of chance, which is how far it may be from .5 where there is nothing to find. */
export function chanceTest(
  scores: Float64Array,
  labels: Uint8Array,
): { readonly auc: number; readonly allowed: number; readonly n: number } {
  const positives = labels.reduce((sum, label) => sum + label, 0);
  return { auc: auc(scores, labels), allowed: 3 * aucStandardError(positives, labels.length - positives), n: labels.length };
}
