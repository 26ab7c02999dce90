import type { NetworkSpec } from '../../src/model/NetworkSpec.ts';
import type { WeightArrays } from '../../src/model/NetworkWeights.ts';
import type { BackendName } from '../../src/runtime/Runtime.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { BaselineFit } from './initialWeights.ts';
import type { PredictedRows } from './predictRows.ts';
import type { LoopProgress } from './trainNetwork.ts';

/** One network to train: on rows `train` of the training rows, judged on rows `test` of the test rows. */
export type TrainJob = { readonly name: string; readonly train: Int32Array; readonly test: Int32Array; readonly seed: number };

export type TrainJobResult = {
  readonly name: string;
  readonly baselines: readonly BaselineFit[];
  readonly weights: WeightArrays;
  readonly predicted: PredictedRows;
  readonly finalLoss: number;
  readonly seconds: number;
};

/** What all jobs of a run share. */
export type TrainJobSetting = {
  readonly trainRows: RowSet;
  readonly testRows: RowSet;
  readonly spec: NetworkSpec;
  readonly epochs: number;
  readonly batchSize: number;
  readonly learningRate: number;
  /** It has been opened in the main thread: no trial is needed. */
  readonly backend: BackendName;
};

export type TrainJobMessage =
  | { readonly kind: 'progress'; readonly name: string; readonly at: LoopProgress }
  | { readonly kind: 'done'; readonly result: TrainJobResult }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };
