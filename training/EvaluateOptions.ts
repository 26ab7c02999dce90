import type { ModelFolder } from '../src/engine/model/modelFiles.ts';
import type { ProcessEnvironment, BackendName } from '../src/engine/runtime/Runtime.ts';
import type { TestRowsOptions } from './data/openTestRows.ts';
import type { ReportTable } from './report/ReportData.ts';

/** The version to evaluate, and the rows to evaluate it on. */
export type EvaluateOptions = TestRowsOptions & {
  readonly model: ModelFolder;
  readonly backend: 'auto' | BackendName;
  readonly environment?: ProcessEnvironment;
  /** Also run the placebos. */
  readonly placebo: boolean;
  /** A Python with the packages of `training/baselines`; '' skips these baselines. */
  readonly python: string;
  readonly command: string;
};

export type EvaluationReport = {
  readonly id: string;
  /** Number of test origins, and how many of them the version was trained on (these do not count). */
  readonly origins: number;
  readonly seen: number;
  readonly tables: readonly ReportTable[];
  /** All tables as Markdown. */
  readonly text: string;
  readonly placebosHold: boolean;
  readonly html: string;
};
