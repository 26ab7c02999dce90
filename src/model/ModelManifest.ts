import type { InputStatistics } from './inputStatistics.ts';
import type { GateRecord, Lineage } from './Lineage.ts';
import type { NetworkSpec } from './NetworkSpec.ts';

/** One horizon bucket of a model version. */
export type HeadManifest = {
  /** Name of the bucket, as in BUCKET_NAMES. */
  readonly name: string;
  /** Calibrated logit = slope * (baselineLogit + residualLogit) + intercept, fitted on left-out logits. */
  readonly calibration: { readonly slope: number; readonly intercept: number };
  /**
   * Bands of ln(theta / theta*): band i ends at upper[i] (inclusive). `decision[i]` is the smallest probability that is
   * marked in band i; null: no threshold met the precision rule, the band abstains.
   */
  readonly bands: { readonly upper: readonly number[]; readonly decision: readonly (number | null)[] };
  /** A direction is called only where the head's direction AUC passed its gate. */
  readonly directionPassed: boolean;
  /** `zero`: the bucket did not beat the baseline; its opportunity weights are 0, and the baseline answers alone. */
  readonly residual: 'trained' | 'zero';
};

/** Everything of a version that is not weights. `manifest.json` in its folder. */
export type ModelManifest = {
  readonly format: 'tickmark-model/2';
  readonly id: string;
  readonly createdAt: string;
  readonly network: NetworkSpec;
  /** Names of the input columns; a version whose names differ from the program's is refused. */
  readonly sequenceColumns: readonly string[];
  readonly contextColumns: readonly string[];
  readonly heads: readonly HeadManifest[];
  /** What the training rows covered; outside it the answer is null with its reason. Bounds are inclusive. */
  readonly trained: {
    readonly horizonS: readonly [number, number];
    readonly horizonToWindow: readonly [number, number];
    readonly medianGapS: readonly [number, number];
    readonly logThetaRatio: readonly [number, number];
  };
  /** True for weights trained on generated ticks: never a default. */
  readonly synthetic: boolean;
  readonly gate: GateRecord;
  readonly lineage: Lineage;
  /** SHA-256 of each file of the folder but the manifest, hex. */
  readonly files: Readonly<Record<string, string>>;
};

/** A version that is loaded and can be asked. */
export type ServedModel = {
  readonly id: string;
  /** What the inference host knows its network by: another one for each load, so that an id can be loaded anew while the old one answers. */
  readonly networkId: string;
  readonly manifest: ModelManifest;
  /** Markdown: data, split, table, command. */
  readonly card: string;
  /** The version's own rule set, JSON; absent: it has none. */
  readonly rules?: string;
  /** How its training rows were spread; absent: the version does not say. */
  readonly inputs?: InputStatistics;
};

/** A version that stays loaded until it is released. */
export type HeldModel = { readonly model: ServedModel; release(): void };

/** The versions that can be asked. A live one changes between requests, never within one that holds its version. */
export type ModelCatalog = {
  /** Id of the version that answers when none is named. */
  readonly defaultId: string;
  find(id: string): ServedModel | undefined;
  /** Whoever asks a version's network holds it meanwhile, and releases it once. */
  hold(id: string): HeldModel | undefined;
  list(): readonly ServedModel[];
};
