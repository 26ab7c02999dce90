import type { ProcessEnvironment } from '../src/runtime/BackendCandidate.ts';
import type { BackendName } from '../src/runtime/Runtime.ts';
import type { RowCounts } from './data/buildRows.ts';

export type TrainOptions = {
  /** Tick files, CSV or gzipped. Empty: generated ticks with a known structure. */
  readonly data: readonly string[];
  /** Group name -> instrument names that move together. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
  /** Id of the version, also its folder's name. */
  readonly id: string;
  /** Folder that the version's folder is written into. */
  readonly out: string;
  readonly seed: number;
  readonly epochs: number;
  readonly batchSize: number;
  readonly learningRate: number;
  /** Most training rows of one instrument in one horizon bucket. */
  readonly maxPerBucket: number;
  /** Threads that train networks side by side. */
  readonly workers: number;
  readonly backend: 'auto' | BackendName;
  /** Of this process, for native TensorFlow. Default: none is changed. */
  readonly environment?: ProcessEnvironment;
  /** Reads the data and counts the rows, trains nothing. */
  readonly dryRun: boolean;
  /** File with instrument, source and licence of each data file, for the card; '' where there is none. */
  readonly sources: string;
  /** The command as typed, for the card. */
  readonly command: string;
  /** Replace a version of this id. */
  readonly replace: boolean;
};

export type TrainEvent =
  | { readonly kind: 'read'; readonly name: string; readonly rows: number }
  | { readonly kind: 'rows'; readonly what: 'training' | 'test'; readonly done: number; readonly total: number }
  | {
      readonly kind: 'training';
      readonly jobs: number;
      readonly jobsDone: number;
      /** Share of all steps done, 0 to 1. */
      readonly share: number;
      readonly loss: number;
      readonly etaS: number;
    }
  | { readonly kind: 'note'; readonly text: string };

export type TrainReport = {
  readonly id: string;
  /** Folder of the new version; null after a dry run. */
  readonly folder: string | null;
  readonly synthetic: boolean;
  readonly trainRows: number;
  readonly testRows: number;
  readonly trainCounts: RowCounts;
  readonly testCounts: RowCounts;
  /** Names of the folds: the groups left out in turn, or `later ticks`. */
  readonly folds: readonly string[];
  /** Markdown table of the network beside the EWMA logistic on the same left-out rows; '' after a dry run. */
  readonly table: string;
  /** Whether the pooled and the per-cell AUC and the Brier skill are at or above the baseline's. */
  readonly atOrAboveBaseline: boolean | null;
  readonly seconds: number;
};
