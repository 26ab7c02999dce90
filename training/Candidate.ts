import type { HeadManifest, ModelManifest } from '../src/engine/model/ModelManifest.ts';
import type { NetworkSpec, WeightArrays } from '../src/engine/model/NetworkWeights.ts';
import type { BuiltRows } from './data/buildRows.ts';
import type { GateDecision } from './evaluation/gate.ts';
import type { HeadDirection } from './evaluation/directionTest.ts';
import type { Compared } from './evaluation/compareAsServed.ts';
import type { Scores } from './evaluation/Scores.ts';
import type { MemoryLine } from '../src/engine/memory/memoryLine.ts';
import type { TrainJobResult } from './loop/TrainJob.ts';
import type { PairedComparison } from './metrics/comparePaired.ts';

/** The result of a run with its evaluation, before anything is written. */
export type Candidate = {
  readonly weights: WeightArrays;
  /** Its network, where it is not that of the run. */
  readonly spec?: NetworkSpec;
  readonly heads: readonly HeadManifest[];
  readonly trained: ModelManifest['trained'];
  readonly train: BuiltRows;
  readonly test: BuiltRows;
  /** Test rows that count, as served and alone. */
  readonly compared: Compared;
  /** What it adds with the memory of a series; undefined: it does not use one. */
  readonly memory: MemoryLine | undefined;
  readonly seen: number;
  /** Of a base: the same scores on one-minute closes. The gate does not use them. */
  readonly closes: Scores | null;
  /** Comparison with the recalibrated EWMA logistic on all test rows, including those that do not count; null if all rows count. */
  readonly seenToo: PairedComparison | null;
  /** Id of the version that the candidate would replace. */
  readonly against: string | null;
  readonly directions: readonly HeadDirection[];
  readonly verdict: GateDecision;
  readonly folds: readonly string[];
  readonly results: readonly TrainJobResult[];
  /** Content of the version's `out-of-fold.json`; undefined for a fine-tune, whose test rows are not in its training data. */
  readonly outOfFold?: string;
  readonly notes: readonly string[];
};
