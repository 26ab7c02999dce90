import { seededRandom } from '../../src/core/Random.ts';
import type { ModelFolder } from '../../src/engine/model/modelFiles.ts';
import type { RowPlan } from '../data/RowPlan.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';
import { labelsOf } from '../evaluation/Scores.ts';
import type { Placebo } from '../evaluation/gate.ts';
import { permuteMoves } from '../evaluation/permutedPlacebo.ts';
import { calibratedProbabilities } from '../evaluation/scoresOutOfFold.ts';
import { predictRows } from '../loop/predictRows.ts';
import { auc, aucStandardError } from '../metrics/auc.ts';
import { allRows } from '../splits/planFolds.ts';

export type PlaceboInput = {
  readonly model: ModelFolder;
  readonly sources: readonly TickSource[];
  readonly plan: RowPlan;
  readonly rows: RowSet;
  readonly seed: number;
};

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

/** The same rows with permuted outcomes: the version must not predict them. */
export function permutedOutcomesPlacebo({ model, rows, seed }: PlaceboInput): Placebo {
  const permuted = permuteMoves(rows, seededRandom(seed));
  const { auc, allowed, n } = chanceTest(scoreRows(model, rows).p, labelsOf(permuted, allRows(rows)));
  return {
    name: 'Randomly permuted outcomes',
    holds: Math.abs(auc - 0.5) <= allowed,
    text: `AUC ${auc.toFixed(3)} on ${n} rows; chance is 0.500 ± ${allowed.toFixed(3)}.`,
  };
}
