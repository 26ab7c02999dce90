import { CONTEXT_COLUMN_NAMES } from '../../src/features/columns.ts';
import { binEdges, binFractions } from '../../src/features/stabilityIndex.ts';
import type { InputStatistics } from '../../src/model/InputStatistics.ts';
import type { RowSet } from '../data/RowSet.ts';
import { allRows } from '../splits/planFolds.ts';
import { defaultColumn } from './inputDrift.ts';

/** Digits that preserve a 32-bit float, and a fraction to a millionth. */
const EDGE_DIGITS = 9;
const FRACTION_DECIMALS = 6;

/** Statistics of the training rows of a version at the default threshold; needs at least one row. */
export function describeInputs(rows: RowSet): InputStatistics {
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
