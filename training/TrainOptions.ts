import type { TickFileOptions } from '../src/ticks/import/streamTickFile.ts';
import type { ModelFolder } from '../src/engine/model/modelFiles.ts';
import type { ProcessEnvironment, BackendName } from '../src/engine/runtime/Runtime.ts';
import type { RowCounts } from './data/buildRow.ts';
import type { HorizonScope } from './data/HorizonScope.ts';
import type { SourceReport } from './data/readSources.ts';
import type { PreviousBase } from './evaluation/outOfFold.ts';
import type { GateDecision } from './evaluation/gate.ts';
import type { ScheduleName } from './loop/LoopTypes.ts';

export type TrainOptions = {
  /** `base`: the whole network, evaluated by leaving groups out. `fine_tune`: heads of `parent`, evaluated on later ticks. */
  readonly mode: 'base' | 'fine_tune';
  /** Tick files of any known format. If empty: generated ticks with a planted signal. */
  readonly data: readonly string[];
  /** Time zone and date order for files that do not state them. */
  readonly reading: TickFileOptions;
  /** Group name to the instruments that move together. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
  readonly scope: HorizonScope;
  /** The version whose heads are tuned; null exactly when a base is trained. */
  readonly parent: ModelFolder | null;
  /** The base that a new base would replace, with its out-of-fold predictions; null if there is none. */
  readonly previousBase: PreviousBase | null;
  /** Id of the version and name of its folder. */
  readonly id: string;
  /** Parent folder of the version's folder. */
  readonly out: string;
  /** Folder for caches, checkpoints and reports. */
  readonly workDir: string;
  /** Origins and labels are in [fromUs, untilUs), microseconds. */
  readonly fromUs: number;
  readonly untilUs: number;
  readonly seed: number;
  /** Networks per fold, with consecutive seeds; one is served. */
  readonly seeds: number;
  readonly epochs: number;
  readonly batchSize: number;
  readonly learningRate: number;
  readonly schedule: ScheduleName;
  readonly patience: number;
  /** Units of the LSTM and of the dense layer of a base. */
  readonly units: number;
  /** Most training rows of one instrument in one horizon bucket. */
  readonly maxPerBucket: number;
  /** Threads that make rows and train networks. */
  readonly workers: number;
  readonly backend: 'auto' | BackendName;
  /** Environment of this process, for native TensorFlow. Default: unchanged. */
  readonly environment?: ProcessEnvironment;
  /** File with instrument, source and licence of each data file, for the card; '' for none. */
  readonly sources: string;
  /** The command as typed, for the card. */
  readonly command: string;
  /** Replace an existing version with this id. */
  readonly replace: boolean;
  /** Write the version even if it does not pass the gate; its card states this. */
  readonly force: boolean;
  /** Resume a stopped run with this id. */
  readonly resume: boolean;
  /** Minutes after which training ends with the best weights so far; Infinity for no limit. */
  readonly maxMinutes: number;
  /** In shared memory: the run writes its checkpoints and ends when entry 0 is above 0. */
  readonly stop: Int32Array;
};

export type TrainEvent =
  | { readonly kind: 'read'; readonly name: string; readonly rows: number }
  | { readonly kind: 'rows'; readonly what: 'training' | 'test'; readonly done: number; readonly total: number }
  | { readonly kind: 'trunk'; readonly done: number; readonly total: number }
  | {
      readonly kind: 'training';
      readonly jobs: number;
      readonly jobsDone: number;
      /** Fraction of all steps that are done, 0 to 1. */
      readonly share: number;
      readonly loss: number;
      readonly rowsPerS: number;
      readonly etaS: number;
    }
  | { readonly kind: 'note'; readonly text: string };

/** Estimated cost of a run, from a few windows and steps timed on this machine. */
export type TrainEstimate = { readonly memoryMb: number; readonly seconds: number };

type RunReport = {
  readonly id: string;
  readonly mode: TrainOptions['mode'];
  readonly synthetic: boolean;
  readonly sources: readonly SourceReport[];
  readonly trainRows: number;
  readonly testRows: number;
  readonly seconds: number;
};

/** Of a run that was not made: its rows are the most that there can be. */
export type EstimateReport = RunReport & { readonly estimate: TrainEstimate };

export type TrainReport = RunReport & {
  /** Folder of the new version; null if it did not pass. */
  readonly folder: string | null;
  /** The HTML report. */
  readonly reportFile: string;
  readonly trainCounts: RowCounts;
  readonly testCounts: RowCounts;
  /** Names of the left-out groups, or `later ticks`. */
  readonly folds: readonly string[];
  readonly verdict: GateDecision;
  /** Fraction of the windows that are marked, and the precision of marks, as served: of the version that would be replaced, then of this one. */
  readonly marks: readonly string[];
  /** A horizon of the trained heads, such as `300s`. */
  readonly exampleHorizon: string;
  /** Markdown: the candidate as served, compared with the baselines and with the version that it would replace. */
  readonly table: string;
};
