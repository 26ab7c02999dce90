import { CONTEXT_COLUMNS } from '../src/features/columns.ts';
import { SEQUENCE_COLUMNS, SEQUENCE_STEPS } from '../src/features/WindowMeasures.ts';
import { BUCKET_UPPER_S } from '../src/features/horizonBuckets.ts';
import type { NetworkSpec } from '../src/model/NetworkWeights.ts';

/** The network of a base: about 21 thousand weights. */
export const NETWORK_SPEC: NetworkSpec = {
  steps: SEQUENCE_STEPS,
  sequenceColumns: SEQUENCE_COLUMNS,
  contextColumns: CONTEXT_COLUMNS,
  units: 48,
  dense: 48,
  adapterRank: 4,
  heads: BUCKET_UPPER_S.length,
};
