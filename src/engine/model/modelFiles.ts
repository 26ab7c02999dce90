import type { VersionContent } from './ModelManifest.ts';
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
  inputs: 'inputs.json',
} as const;

/** Next to the files of a version that a service gives to an engine: the rules of its answers. */
export const RULES_FILE = 'rules.json';

/** Of a version that an earlier release trained on one market. */
export const MARKET_FILE = 'market.json';

/** The files whose SHA-256 every manifest contains. */
export const HASHED_FILES = [MODEL_FILES.topology, MODEL_FILES.weights, MODEL_FILES.golden, MODEL_FILES.card] as const;

/** Optional files; if the manifest names one, it must exist with that hash. */
export const EXTRA_FILES = [MODEL_FILES.report, MODEL_FILES.outOfFold, MODEL_FILES.inputs] as const;
export type ExtraFile = (typeof EXTRA_FILES)[number];

/**
 * A manifest may also name files of a later release: they are checked and copied with it, and not used. Without a slash, no name leads outside.
 */
export const FILE_NAME = '^(?!manifest\\.)[a-z][a-z0-9-]{0,63}\\.(json|bin|md|html)$';

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
export type ModelFolder = VersionContent & { readonly weights: WeightArrays; readonly golden: Golden };

/** Far above the real sizes; a larger file is refused before it is read. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** Throws ServiceError `model.refused` with the folder's name. */
export type Refuse = (why: string, cause?: unknown) => never;
