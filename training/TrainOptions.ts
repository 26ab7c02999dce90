import type { AnyTickOptions } from '../src/import/streamAnyTickFile.ts';
import type { ModelFolder } from '../src/model/modelFiles.ts';
import type { ProcessEnvironment } from '../src/runtime/BackendCandidate.ts';
import type { RuleSet } from '../src/rules/RuleSet.ts';
import type { BackendName } from '../src/runtime/Runtime.ts';
import type { RowCounts } from './data/buildRow.ts';
import type { HorizonScope } from './data/HorizonScope.ts';
import type { SourceReport } from './data/reportData.ts';
import type { PreviousBase } from './evaluation/compareWithPrevious.ts';
import type { GateVerdict } from './evaluation/gate.ts';
import type { ScheduleName } from './loop/schedule.ts';

export type TrainOptions = {
  /** `base`: the whole network, judged by leaving groups out. `fine_tune`: heads of `parent`, judged on later ticks. */
  readonly mode: 'base' | 'fine_tune';
  /** Tick files of any known format. Empty: generated ticks with a planted signal. */
  readonly data: readonly string[];
  /** How they are to be read where they do not say it themselves. */
  readonly reading: AnyTickOptions;
  /** Group name -> instruments that move together. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
  readonly scope: HorizonScope;
  /** The version whose heads are tuned; null for a base. */
  readonly parent: ModelFolder | null;
  /** The base that a new one would replace, with what it predicted out of fold; null: there is none. */
  readonly previousBase: PreviousBase | null;
  /** Id of the version, also its folder's name. */
  readonly id: string;
  /** Folder that the version's folder is written into. */
  readonly out: string;
  /** Folder of caches, checkpoints and reports. */
  readonly workDir: string;
  /** Origins and labels lie in [fromUs, untilUs), microseconds. */
  readonly fromUs: number;
  readonly untilUs: number;
  /** Rules whose worth is measured on top of the network. */
  readonly ruleSet: RuleSet;
  readonly seed: number;
  /** Networks per fold, of consecutive seeds; one is served. */
  readonly seeds: number;
  readonly epochs: number;
  readonly batchSize: number;
  readonly learningRate: number;
  readonly schedule: ScheduleName;
  readonly patience: number;
  /** Most training rows of one instrument in one horizon bucket. */
  readonly maxPerBucket: number;
  /** Threads that make rows and train networks. */
  readonly workers: number;
  readonly backend: 'auto' | BackendName;
  /** Of this process, for native TensorFlow. Default: none is changed. */
  readonly environment?: ProcessEnvironment;
  /** Reads the data, counts and estimates, trains nothing. */
  readonly dryRun: boolean;
  /** File with instrument, source and licence of each data file, for the card; '' where there is none. */
  readonly sources: string;
  /** The command as typed, for the card. */
  readonly command: string;
  /** Replace a version of this id. */
  readonly replace: boolean;
  /** Write the version although it did not pass the gate; its card says so. */
  readonly force: boolean;
  /** Go on with a run of this id that was stopped. */
  readonly resume: boolean;
  /** Write TensorBoard event files into this folder; '' writes none. */
  readonly tensorboard: string;
  /** Minutes after which training ends with the best weights so far; Infinity is never. */
  readonly maxMinutes: number;
  /** In shared memory: entry 0 above 0 asks the run to write its checkpoints and end. */
  readonly stop: Int32Array;
  /** Most time between two checkpoints, ms. Default 10 s. */
  readonly checkpointEveryMs?: number;
};

export type TrainEvent =
  | { readonly kind: 'read'; readonly name: string; readonly rows: number }
  | { readonly kind: 'rows'; readonly what: 'training' | 'test'; readonly done: number; readonly total: number }
  | { readonly kind: 'trunk'; readonly done: number; readonly total: number }
  | {
      readonly kind: 'training';
      readonly jobs: number;
      readonly jobsDone: number;
      /** Share of all steps done, 0 to 1. */
      readonly share: number;
      readonly loss: number;
      readonly rowsPerS: number;
      readonly etaS: number;
    }
  | { readonly kind: 'note'; readonly text: string };

/** What training would cost, from a few windows and steps timed on this machine. */
export type TrainEstimate = { readonly memoryMb: number; readonly seconds: number };

export type TrainReport = {
  readonly id: string;
  readonly mode: 'base' | 'fine_tune';
  readonly synthetic: boolean;
  /** Folder of the new version; null after a dry run, or where it did not pass. */
  readonly folder: string | null;
  /** The HTML report; null after a dry run. */
  readonly reportFile: string | null;
  readonly sources: readonly SourceReport[];
  readonly trainRows: number;
  readonly testRows: number;
  readonly trainCounts: RowCounts | null;
  readonly testCounts: RowCounts | null;
  /** What was left out in turn, or `later ticks`. */
  readonly folds: readonly string[];
  readonly estimate: TrainEstimate | null;
  readonly verdict: GateVerdict | null;
  /** Markdown: candidate beside the EWMA logistic, and beside the version it would replace; '' after a dry run. */
  readonly table: string;
  readonly seconds: number;
};
