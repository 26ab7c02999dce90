import { CONTEXT_COLUMN_NAMES } from '../../src/features/columns.ts';
import type { InputStatistics } from '../../src/model/inputStatistics.ts';

/** Every column in two halves, at and below 0 and above. */
export function smallInputs(): InputStatistics {
  return {
    format: 'tickmark-inputs/1',
    rows: 1000,
    columns: CONTEXT_COLUMN_NAMES.map((name) => ({ name, edges: [0], shares: [0.5, 0.5] })),
  };
}
