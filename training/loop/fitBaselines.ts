import { isOpportunity, type RowSet } from '../data/RowSet.ts';
import { fitLogistic, sigmoid } from '../metrics/logistic.ts';
import type { BaselineFit } from './initialWeights.ts';

/** A bucket with fewer rows than this, or with one class only, uses the fit over all buckets. */
const MIN_ROWS = 200;

/**
 * The EWMA volatility logistic of each horizon bucket at the default threshold: one feature, ln(sigma(600) sqrt(H) / theta*). It is the
 * baseline of the evaluation and the starting point of the network.
 */
export function fitBaselines(rows: RowSet, index: Int32Array, heads: number): BaselineFit[] {
  const fit = (members: Int32Array): BaselineFit => {
    const x = Float64Array.from(members, (row) => rows.baseline[row * rows.draws] as number);
    const y = Uint8Array.from(members, (row) => isOpportunity(rows, row));
    const { intercept, weights } = fitLogistic(x, members.length, 1, y, { l2: 1e-3 });
    return { intercept, slope: weights[0] as number };
  };
  const pooled = fit(index);
  return Array.from({ length: heads }, (_, head) => {
    const members = index.filter((row) => rows.head[row] === head);
    const positives = members.reduce((sum, row) => sum + isOpportunity(rows, row), 0);
    return members.length < MIN_ROWS || positives < 20 || members.length - positives < 20 ? pooled : fit(members);
  });
}

/** Probabilities of the EWMA logistic at the default threshold, one for each row of `index`. */
export function baselineProbabilities(rows: RowSet, index: Int32Array, fits: readonly BaselineFit[]): Float64Array {
  return Float64Array.from(index, (row) => {
    const fit = fits[rows.head[row] as number];
    if (fit === undefined)
      throw new RangeError(`baselineProbabilities: row ${row} has head ${rows.head[row]}; there are ${fits.length} fits`);
    return sigmoid(fit.slope * (rows.baseline[row * rows.draws] as number) + fit.intercept);
  });
}
