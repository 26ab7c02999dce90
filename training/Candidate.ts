import type { HeadManifest, ModelManifest } from '../src/engine/model/ModelManifest.ts';
import type { NetworkSpec, WeightArrays } from '../src/engine/model/NetworkWeights.ts';
import type { MadeRows } from './data/buildRows.ts';
import type { evaluateCandidate } from './evaluateCandidate.ts';
import type { Scores } from './evaluation/Scores.ts';
import type { TrainJobResult } from './loop/TrainJob.ts';

/** The result of a run with its evaluation, before anything is written. */
export type Candidate = MadeRows &
  Omit<ReturnType<typeof evaluateCandidate>, 'passing'> & {
    readonly weights: WeightArrays;
    readonly spec: NetworkSpec;
    readonly heads: readonly HeadManifest[];
    readonly trained: ModelManifest['trained'];
    /** Of a base: the same scores on one-minute closes. The gate does not use them. */
    readonly closes: Scores | null;
    readonly folds: readonly string[];
    readonly results: readonly TrainJobResult[];
    /** Content of the version's `out-of-fold.json`; undefined for a fine-tune, whose test rows are not in its training data. */
    readonly outOfFold?: string;
  };
