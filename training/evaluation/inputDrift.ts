import { CONTEXT_COLUMN_NAMES, CONTEXT_COLUMNS } from '../../src/features/columns.ts';
import { binEdges, binFractions, stabilityIndex } from '../../src/features/stabilityIndex.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { ColumnDrift } from '../report/ReportData.ts';

/** Sampled rows of each side. */
const SAMPLE = 5000;

/**
 * Drift of the context columns from training rows to test rows at the default threshold: the population stability index over bins of equal
 * mass of the training rows. Largest first.
 */
export function inputDrift(train: RowSet, trainIndex: Int32Array, test: RowSet, testIndex: Int32Array): ColumnDrift[] {
  if (trainIndex.length === 0 || testIndex.length === 0) return [];
  return CONTEXT_COLUMN_NAMES.map((column, c) => {
    const before = defaultColumn(train, trainIndex, c, SAMPLE);
    const after = defaultColumn(test, testIndex, c, SAMPLE);
    const edges = binEdges(before);
    const trainMean = mean(before);
    return {
      column,
      trainMean,
      testMean: mean(after),
      trainStd: Math.sqrt(mean(before.map((value) => (value - trainMean) ** 2))),
      psi: stabilityIndex(binFractions(before, edges), binFractions(after, edges)),
    };
  }).sort((a, b) => b.psi - a.psi);
}

/** One context column at the default threshold, ascending: of all rows, or of about `sample` evenly spaced ones. */
export function defaultColumn(rows: RowSet, index: Int32Array, column: number, sample = Infinity): Float64Array {
  const step = Math.max(1, index.length / sample);
  const count = Math.ceil(index.length / step);
  return Float64Array.from({ length: count }, (_, i) => {
    const row = index[Math.min(index.length - 1, Math.floor(i * step))] as number;
    return rows.context[row * rows.draws * CONTEXT_COLUMNS + column] as number;
  }).sort();
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
