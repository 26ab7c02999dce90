import { CONTEXT_COLUMNS } from '../src/engine/features/columns.ts';
import { SEQUENCE_COLUMNS, SEQUENCE_STEPS } from '../src/engine/features/WindowMeasures.ts';
import { BUCKET_UPPER_S } from '../src/engine/features/horizonBuckets.ts';
import type { NetworkSpec } from '../src/engine/model/NetworkWeights.ts';

/** Units of the LSTM and of the dense layer, unless chosen. */
export const UNITS = 16;

/** The network of a base, before it gets units that imitate boosted trees. */
export function networkSpec(units: number = UNITS): NetworkSpec {
  return {
    steps: SEQUENCE_STEPS,
    sequenceColumns: SEQUENCE_COLUMNS,
    contextColumns: CONTEXT_COLUMNS,
    units,
    dense: units,
    adapterRank: 4,
    heads: BUCKET_UPPER_S.length,
  };
}
