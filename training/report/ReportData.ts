/** A table of texts: the first column names the row. Cells may hold a minus sign (U+2212). */
export type ReportTable = {
  readonly title: string;
  /** One sentence or two: what the table says and how to read it. '' is none. */
  readonly about: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

/** The course of one network: losses are mean cross entropies in nats. */
export type TrainingCurve = {
  readonly name: string;
  readonly training: readonly { readonly step: number; readonly loss: number }[];
  readonly validation: readonly { readonly step: number; readonly loss: number }[];
  /** Step whose weights were kept. */
  readonly bestStep: number;
};

/** One bin of equal mass of the reliability diagram: mean probability, observed share, its 90 % Wilson interval, rows. */
export type ReliabilityBin = { readonly p: number; readonly rate: number; readonly low: number; readonly high: number; readonly n: number };

export type NamedReliability = { readonly name: string; readonly bins: readonly ReliabilityBin[] };

/** Precision of the most probable share of the rows. */
export type PrecisionCurve = {
  readonly name: string;
  readonly points: readonly { readonly coverage: number; readonly precision: number }[];
};

/** One cell, instrument × horizon; AUC of candidate, EWMA logistic and, where there is one, the version it would replace. */
export type ReportCell = {
  readonly instrument: string;
  readonly horizonS: number;
  readonly n: number;
  readonly baseRate: number;
  readonly candidate: number;
  readonly ewma: number;
  readonly served: number | null;
  /** Enough rows of each class to count. */
  readonly counts: boolean;
};

/** One input column, training against test rows. */
export type ColumnDrift = {
  readonly column: string;
  readonly trainMean: number;
  readonly testMean: number;
  readonly trainStd: number;
  /** Population stability index over ten bins of equal mass of the training rows. Under .1 is calm, over .25 is a different market. */
  readonly psi: number;
};

/** Everything that the report of one run shows. Holds facts only; `renderReport` decides how they look. */
export type ReportData = {
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly kind: 'base' | 'fine_tune' | 'evaluation';
  readonly synthetic: boolean;
  readonly command: string;
  /** `null`: nothing was decided (an evaluation of an existing version). */
  readonly verdict: {
    readonly passed: boolean;
    /** One sentence in plain words. */
    readonly headline: string;
    /** Why, each a sentence with its figures; failed ones first. */
    readonly checks: readonly { readonly holds: boolean; readonly text: string }[];
    /** What would help; empty after a pass. */
    readonly advice: readonly string[];
  } | null;
  /** How to try the version and how to make it the default: lines for a terminal. */
  readonly nextSteps: readonly string[];
  /** Sentences: how the rows were split, what was left out, on what backend, how long it took. */
  readonly setting: readonly string[];
  readonly tables: readonly ReportTable[];
  readonly curves: readonly TrainingCurve[];
  /** First the candidate. */
  readonly reliability: readonly NamedReliability[];
  readonly precision: readonly PrecisionCurve[];
  readonly baseRate: number;
  readonly cells: readonly ReportCell[];
  readonly drift: readonly ColumnDrift[];
  /** Warnings and gaps, a sentence each. */
  readonly notes: readonly string[];
};
