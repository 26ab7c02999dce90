import { CONTEXT_COLUMNS } from '../src/features/columns.ts';
import { SEQUENCE_COLUMNS, SEQUENCE_STEPS } from '../src/features/WindowMeasures.ts';
import { BUCKET_UPPER_S } from '../src/features/horizonBuckets.ts';
import type { NetworkSpec } from '../src/model/NetworkWeights.ts';

/** Units of the LSTM and of the dense layer, unless chosen: about 21 thousand weights. */
export const UNITS = 48;

/** The network of a base. */
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

export const NETWORK_SPEC: NetworkSpec = networkSpec();
