import { CONTEXT_COLUMN_NAMES, CONTEXT_COLUMNS } from '../../src/features/columns.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { ColumnDrift } from '../report/ReportData.ts';

const BINS = 10;
/** Rows looked at of either side. */
const SAMPLE = 5000;
/** A share of no rows counts as this, so that the logarithm is finite. */
const LEAST_SHARE = 1e-4;

/**
 * How far the context columns of test rows have moved from those of training rows, at the default threshold: population stability index
 * Σ (q − p) ln(q / p) over ten bins of equal mass of the training rows. Largest first.
 */
export function inputDrift(train: RowSet, trainIndex: Int32Array, test: RowSet, testIndex: Int32Array): ColumnDrift[] {
  if (trainIndex.length === 0 || testIndex.length === 0) return [];
  return CONTEXT_COLUMN_NAMES.map((column, c) => {
    const before = columnOf(train, trainIndex, c);
    const after = columnOf(test, testIndex, c);
    const trainMean = mean(before);
    return {
      column,
      trainMean,
      testMean: mean(after),
      trainStd: Math.sqrt(mean(before.map((value) => (value - trainMean) ** 2))),
      psi: stabilityIndex(before, after),
    };
  }).sort((a, b) => b.psi - a.psi);
}

function columnOf(rows: RowSet, index: Int32Array, column: number): Float64Array {
  const step = Math.max(1, index.length / SAMPLE);
  const count = Math.ceil(index.length / step);
  return Float64Array.from({ length: count }, (_, i) => {
    const row = index[Math.min(index.length - 1, Math.floor(i * step))] as number;
    return rows.context[row * rows.draws * CONTEXT_COLUMNS + column] as number;
  }).sort();
}

/** Both ascending. */
export function stabilityIndex(before: Float64Array, after: Float64Array): number {
  const edges = [...new Set(Array.from({ length: BINS - 1 }, (_, i) => before[Math.floor(((i + 1) * before.length) / BINS)] as number))];
  const shares = (values: Float64Array): number[] => {
    const upTo = [...edges.map((edge) => countUpTo(values, edge)), values.length];
    return upTo.map((count, i) => Math.max(LEAST_SHARE, (count - (upTo[i - 1] ?? 0)) / values.length));
  };
  const [p, q] = [shares(before), shares(after)];
  return p.reduce((sum, share, i) => sum + ((q[i] as number) - share) * Math.log((q[i] as number) / share), 0);
}

function countUpTo(sorted: Float64Array, limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
