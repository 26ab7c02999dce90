import type { ModelFolder } from '../../src/model/modelFiles.ts';
import type { RowSet } from '../data/RowSet.ts';
import { calibratedProbabilities } from '../evaluation/calibratedProbabilities.ts';
import { predictRows } from '../loop/predictRows.ts';
import { auc, aucStandardError } from '../metrics/auc.ts';
import { allRows } from '../splits/planFolds.ts';

/** Outputs of a version for rows at their default threshold: calibrated probability and direction logit (up). */
export function scoreRows({ manifest, weights }: ModelFolder, rows: RowSet): { readonly p: Float64Array; readonly up: Float64Array } {
  const predicted = predictRows(manifest.network, weights, rows, allRows(rows), 1);
  return { p: calibratedProbabilities(manifest.heads, rows, predicted), up: Float64Array.from(predicted.direction) };
}

/** AUC and three standard errors of chance: the allowed distance from 0.5 if there is no signal. */
export function chanceTest(
  scores: Float64Array,
  labels: Uint8Array,
): { readonly auc: number; readonly allowed: number; readonly n: number } {
  const positives = labels.reduce((sum, label) => sum + label, 0);
  return { auc: auc(scores, labels), allowed: 3 * aucStandardError(positives, labels.length - positives), n: labels.length };
}
