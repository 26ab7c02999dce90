import { CONTEXT_COLUMN_NAMES, CONTEXT_COLUMNS } from '../../src/engine/features/columns.ts';
import { binEdges, binFractions, stabilityIndex } from '../../src/engine/features/stabilityIndex.ts';
import type { InputStatistics } from '../../src/engine/model/ModelManifest.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { ColumnDrift } from '../report/ReportData.ts';
import { allRows } from '../splits/planFolds.ts';
import { boundScores, entriesOf, type Scores } from './Scores.ts';

/** Digits that preserve a 32-bit float, and a fraction to a millionth. */
const EDGE_DIGITS = 9;
const FRACTION_DECIMALS = 6;

/** Statistics of the training rows of a version at the default threshold; needs at least one row. */
function describeInputs(rows: RowSet): InputStatistics {
  const index = allRows(rows);
  return {
    format: 'tickmark-inputs/1',
    rows: rows.count,
    columns: CONTEXT_COLUMN_NAMES.map((name, column) => {
      const values = defaultColumn(rows, index, column);
      const edges = binEdges(values);
      return {
        name,
        edges: edges.map((edge) => Number(edge.toPrecision(EDGE_DIGITS))),
        shares: binFractions(values, edges).map((share) => Number(share.toFixed(FRACTION_DECIMALS))),
      };
    }),
  };
}

/** Content of `inputs.json`: one column per line. */
export function inputsText(rows: RowSet): string {
  const { columns, ...rest } = describeInputs(rows);
  const lines = columns.map((column) => JSON.stringify(column)).join(',\n');
  return `${JSON.stringify(rest).slice(0, -1)},"columns":[\n${lines}\n]}\n`;
}

/** Mean and range over seeds of the figures that the gate uses: one sentence; none for one seed. */
export function describeSeeds(rows: RowSet, perSeed: readonly Scores[]): string[] {
  if (perSeed.length < 2) return [];
  const found = perSeed.map((scores) => {
    const { aucDifference, cellAucDifference, brierSkill } = boundScores(rows, scores, 'ewma', entriesOf(scores)).intervals;
    return [aucDifference.estimate, cellAucDifference.estimate, brierSkill.estimate] as const;
  });
  const text = (at: 0 | 1 | 2): string => {
    const values = found.map((of) => of[at]);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return `${mean.toFixed(4)} (${Math.min(...values).toFixed(4)} to ${Math.max(...values).toFixed(4)})`;
  };
  return [`Over ${perSeed.length} seeds, mean and range against EWMA: AUC ${text(0)}, mean of cells ${text(1)}, Brier skill ${text(2)}.`];
}

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
function defaultColumn(rows: RowSet, index: Int32Array, column: number, sample = Infinity): Float64Array {
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
