import type { ModelFolder } from '../src/model/modelFiles.ts';
import type { ProcessEnvironment } from '../src/runtime/BackendCandidate.ts';
import type { BackendName } from '../src/runtime/Runtime.ts';
import type { ReportTable } from './report/ReportData.ts';

export type EvaluateOptions = {
  readonly model: ModelFolder;
  readonly data: readonly string[];
  readonly groups: Readonly<Record<string, readonly string[]>>;
  /** Horizons to judge at, seconds, ascending. */
  readonly horizonsS: readonly number[];
  /** Judge on the last ticks of bars of so many seconds; 0: on the ticks as they are. */
  readonly barS: number;
  readonly workDir: string;
  readonly seed: number;
  readonly workers: number;
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
