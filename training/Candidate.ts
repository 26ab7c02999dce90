import type { HeadManifest, ModelManifest } from '../src/model/ModelManifest.ts';
import type { WeightArrays } from '../src/model/NetworkWeights.ts';
import type { BuiltRows } from './data/buildRows.ts';
import type { GateVerdict } from './evaluation/gate.ts';
import type { HeadDirection } from './evaluation/directionTest.ts';
import type { Scores } from './evaluation/Scores.ts';
import type { TrainJobResult } from './loop/TrainJob.ts';
import type { PairedComparison } from './metrics/comparePaired.ts';
import type { HeadWorth } from './rules/ruleWorth.ts';

/** What a run made and how it was judged, before anything is written. */
export type Candidate = {
  readonly weights: WeightArrays;
  readonly heads: readonly HeadManifest[];
  readonly trained: ModelManifest['trained'];
  readonly train: BuiltRows;
  readonly test: BuiltRows;
  /** Test rows that count. */
  readonly scores: Scores;
  readonly seen: number;
  /** Of a base: the same on one-minute closes, which decide nothing. */
  readonly closes: Scores | null;
  readonly ewma: PairedComparison;
  readonly served: PairedComparison | null;
  /** Against the EWMA logistic on all test rows, those included that do not count; null: all count. */
  readonly seenToo: PairedComparison | null;
  /** Id of the version that would be replaced. */
  readonly against: string | null;
  /** What the rules add to this network, by head. */
  readonly rules: readonly HeadWorth[];
  /** Content of the version's own `rules.json`; undefined where the rules better no head. */
  readonly learnedRules: string | undefined;
  readonly directions: readonly HeadDirection[];
  readonly verdict: GateVerdict;
  readonly folds: readonly string[];
  readonly results: readonly TrainJobResult[];
  /** Content of the version's `out-of-fold.json`; undefined for a fine-tune, whose test rows lie outside its training. */
  readonly outOfFold?: string;
  readonly notes: readonly string[];
};
