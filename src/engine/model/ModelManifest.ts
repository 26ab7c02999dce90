import type { GateResult, Lineage } from './Lineage.ts';
import type { MemoryLine } from '../memory/memoryLine.ts';
import type { BarModel } from './BarModel.ts';
import type { SeenTicks } from './SeenTicks.ts';
import type { NetworkSpec } from './NetworkWeights.ts';

/** `inputs.json` of a version: distribution of the context columns of its training rows, at the default threshold of each window. */
export type InputStatistics = {
  readonly format: 'tickmark-inputs/1';
  /** Training rows. */
  readonly rows: number;
  /** In the order of the program's columns. */
  readonly columns: readonly {
    readonly name: string;
    /** Upper edges of the bins (inclusive, strictly ascending, 32-bit floats); the last bin has no edge. */
    readonly edges: readonly number[];
    /** Fraction of the rows in each bin; there is one bin more than edges. */
    readonly shares: readonly number[];
  }[];
};

/** One horizon bucket of a model version. */
export type HeadManifest = {
  /** Name of the bucket, as in BUCKET_NAMES. */
  readonly name: string;
  /** Calibrated logit = slope * (baselineLogit + residualLogit) + intercept, fitted on left-out logits. */
  readonly calibration: { readonly slope: number; readonly intercept: number };
  /**
   * By how much the log-odds of the volatility baseline fall when the threshold is multiplied by e, fitted over thresholds from 1/4 to 5 times
   * theta*; undefined: as in the network, where it is fitted at theta* alone.
   */
  readonly thresholdSlope?: number;
  /** Smallest probability that is marked, whatever the threshold; null: none met the precision rule, so the head abstains. */
  readonly cut: number | null;
  /** Whether the direction AUC of the head was high enough; otherwise responses contain no direction. */
  readonly directionPassed: boolean;
  /** `zero`: the head was not better than the baseline; its opportunity weights are 0, so its score is the baseline alone. */
  readonly residual: 'trained' | 'zero';
  /** Number of ticks of a window that suits this head, from left-out groups; undefined: not measured. */
  readonly ticks?: number;
};

/** `manifest.json` of a version: everything except the weights. */
export type ModelManifest = {
  readonly format: 'tickmark-model/4';
  readonly id: string;
  readonly createdAt: string;
  readonly network: NetworkSpec;
  /** Names of the input columns; a version is refused if they differ from those of the program. */
  readonly sequenceColumns: readonly string[];
  readonly contextColumns: readonly string[];
  readonly heads: readonly HeadManifest[];
  /** Ranges of the training rows, inclusive. Outside of them, the forecast is null with a reason. */
  readonly trained: {
    readonly horizonS: readonly [number, number];
    readonly horizonToWindow: readonly [number, number];
    readonly medianGapS: readonly [number, number];
    readonly logThetaRatio: readonly [number, number];
  };
  /** True for weights trained on generated ticks; such a version is never the default. */
  readonly synthetic: boolean;
  readonly gate: GateResult;
  readonly lineage: Lineage;
  /** SHA-256 (hex) of each file of the folder except the manifest. */
  readonly files: Readonly<Record<string, string>>;
};

/** What a version says besides its weights. */
export type VersionContent = {
  readonly manifest: ModelManifest;
  /** Markdown: data, split, table, command. */
  readonly card: string;
  /** Distribution of its training rows; undefined if the version does not contain it. */
  readonly inputs?: InputStatistics;
  /** How the memory of a series changes its log-odds; undefined if it uses none. */
  readonly memory?: MemoryLine;
  /** Forecasts from bars; undefined: it cannot read bars. */
  readonly bars?: BarModel;
  /** Sample of the ticks that it was trained on; undefined if the version does not contain it. */
  readonly seen?: SeenTicks;
};

/** A loaded version. */
export type ServedModel = VersionContent & {
  readonly id: string;
  /** Id of the network in the inference host. Each load gets a new one, so an id can be reloaded while the old network still serves. */
  readonly networkId: string;
};

/** A version that stays loaded until it is released. */
export type HeldModel = { readonly model: ServedModel; release(): void };

/** The loaded versions. A live catalog can change between requests, but a held version stays loaded. */
export type ModelCatalog = {
  /** Id of the default version. */
  readonly defaultId: string;
  /** By its id, or by the name that versions of several days share: then the newest (`findDated`). */
  find(id: string): ServedModel | undefined;
  /** Of `find`. Keeps a version loaded while its network is in use. The caller releases it exactly once. */
  hold(id: string): HeldModel | undefined;
  list(): readonly ServedModel[];
};
