import type { NetworkSpec } from '../src/model/NetworkSpec.ts';
import type { MadeRows } from './data/buildRows.ts';
import type { Instrument } from './data/Instrument.ts';
import type { Source } from './data/readSources.ts';
import type { Judgement } from './evaluation/judge.ts';
import type { OutOfFold } from './evaluation/outOfFold.ts';
import type { TrainJobResult } from './loop/TrainJob.ts';
import type { Fold } from './splits/planFolds.ts';
import type { TrainOptions } from './TrainOptions.ts';

/** Everything that a finished run knows, for the folder and the card. */
export type Trained = {
  readonly options: TrainOptions;
  readonly spec: NetworkSpec;
  readonly instruments: readonly Instrument[];
  /** Where the files come from; empty where nothing was said. */
  readonly sources: readonly Source[];
  readonly built: MadeRows;
  readonly folds: readonly Fold[];
  readonly served: TrainJobResult;
  readonly outOfFold: OutOfFold;
  readonly judgement: Judgement;
};
