import { CONTEXT_COLUMN_NAMES } from '../../src/engine/features/columns.ts';
import type { InputStatistics } from '../../src/engine/model/ModelManifest.ts';

/** Statistics with two bins per column: at or below 0, and above 0. */
export function smallInputs(): InputStatistics {
  return {
    format: 'tickmark-inputs/1',
    rows: 1000,
    columns: CONTEXT_COLUMN_NAMES.map((name) => ({ name, edges: [0], shares: [0.5, 0.5] })),
  };
}
