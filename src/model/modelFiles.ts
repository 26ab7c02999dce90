import type { InputStatistics } from './inputStatistics.ts';
import type { ModelManifest } from './ModelManifest.ts';
import type { WeightArrays } from './NetworkWeights.ts';

/** The files of a version's folder. Names come from here alone, never from a manifest, so no path can lead outside. */
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

/** The files whose SHA-256 stands in every manifest. */
export const HASHED_FILES = [MODEL_FILES.topology, MODEL_FILES.weights, MODEL_FILES.golden, MODEL_FILES.card] as const;

/** Files that a version may have beside; where the manifest names one, it is there and has its hash. */
export const EXTRA_FILES = [MODEL_FILES.report, MODEL_FILES.outOfFold, MODEL_FILES.rules, MODEL_FILES.inputs] as const;
export type ExtraFile = (typeof EXTRA_FILES)[number];

/** Inputs from generated ticks with the logits they gave when the version was made: [rows][heads]. */
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

/** Everything of a version's folder, read and checked. */
export type ModelFolder = {
  readonly manifest: ModelManifest;
  readonly weights: WeightArrays;
  readonly golden: Golden;
  /** Markdown. */
  readonly card: string;
  /** A rule set with weights that were learned on top of this version, JSON, not parsed; absent: it has none of its own. */
  readonly rules?: string;
  /** How its training rows were spread; absent: the version does not say. */
  readonly inputs?: InputStatistics;
};
