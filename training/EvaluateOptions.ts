import type { ModelFolder } from '../src/model/modelFiles.ts';
import type { ProcessEnvironment } from '../src/runtime/BackendCandidate.ts';
import type { BackendName } from '../src/runtime/Runtime.ts';
import type { TestRowsOptions } from './data/openTestRows.ts';
import type { ReportTable } from './report/ReportData.ts';

/** What is judged, and the rows on which. */
export type EvaluateOptions = TestRowsOptions & {
  readonly model: ModelFolder;
  readonly backend: 'auto' | BackendName;
  readonly environment?: ProcessEnvironment;
  /** Run the placebos too. */
  readonly placebo: boolean;
  /** Python that has the packages of `training/baselines`; '' leaves those baselines out. */
  readonly python: string;
  readonly command: string;
};

export type EvaluationReport = {
  readonly id: string;
  /** Test origins in all, and those of them that the version was trained on, which do not count. */
  readonly origins: number;
  readonly seen: number;
  readonly tables: readonly ReportTable[];
  /** The tables as Markdown. */
  readonly text: string;
  readonly placebosHold: boolean;
  readonly html: string;
};
