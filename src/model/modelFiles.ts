import type { InputStatistics } from './InputStatistics.ts';
import type { ModelManifest } from './ModelManifest.ts';
import type { WeightArrays } from './NetworkWeights.ts';

/** The files of a version's folder. Names come only from here, never from a manifest, so no path can lead outside. */
export const MODEL_FILES = {
  manifest: 'manifest.json',
  topology: 'model.json',
  weights: 'weights.bin',
  golden: 'golden.json',
  card: 'card.md',
  report: 'report.html',
  outOfFold: 'out-of-fold.json',
  rules: 'rules.json',
  inputs: 'inputs.json',
} as const;

/** The files whose SHA-256 every manifest contains. */
export const HASHED_FILES = [MODEL_FILES.topology, MODEL_FILES.weights, MODEL_FILES.golden, MODEL_FILES.card] as const;

/** Optional files; if the manifest names one, it must exist with that hash. */
export const EXTRA_FILES = [MODEL_FILES.report, MODEL_FILES.outOfFold, MODEL_FILES.rules, MODEL_FILES.inputs] as const;
export type ExtraFile = (typeof EXTRA_FILES)[number];

/** Inputs from generated ticks, with the logits that the version returned for them when it was made: [rows][heads]. */
export type Golden = {
  readonly rows: readonly {
    readonly sequence: readonly number[];
    readonly context: readonly number[];
    readonly baseline: number;
    readonly head: number;
    readonly baselineLogit: number;
    readonly residualLogit: number;
    readonly directionLogit: number;
  }[];
};

/** Content of a version's folder, read and checked. */
export type ModelFolder = {
  readonly manifest: ModelManifest;
  readonly weights: WeightArrays;
  readonly golden: Golden;
  /** Markdown. */
  readonly card: string;
  /** Rule set with weights that were fitted on top of this version (JSON text); undefined if it has none. */
  readonly rules?: string;
  /** Distribution of its training rows; undefined if the version does not contain it. */
  readonly inputs?: InputStatistics;
};
