/** A table of texts: the first column names the row. Cells may contain a minus sign (U+2212). */
export type ReportTable = {
  readonly title: string;
  /** One or two sentences on content and reading of the table; '' for none. */
  readonly about: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

/** The training curves of one network: losses are mean cross entropies in nats. */
export type TrainingCurve = {
  readonly name: string;
  readonly training: readonly { readonly step: number; readonly loss: number }[];
  readonly validation: readonly { readonly step: number; readonly loss: number }[];
  /** Step whose weights were kept. */
  readonly bestStep: number;
};

/** One bin of equal mass of the reliability diagram: mean probability, observed fraction, its 90 % Wilson interval, rows. */
export type ReliabilityBin = { readonly p: number; readonly rate: number; readonly low: number; readonly high: number; readonly n: number };

export type NamedReliability = { readonly name: string; readonly bins: readonly ReliabilityBin[] };

/** Precision of the most probable fraction of the rows. */
export type PrecisionCurve = {
  readonly name: string;
  readonly points: readonly { readonly coverage: number; readonly precision: number }[];
};

/** One cell, instrument × horizon; AUC of candidate, EWMA logistic and, if there is one, the version it would replace. */
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

/** One input column, compared between training and test rows. */
export type ColumnDrift = {
  readonly column: string;
  readonly trainMean: number;
  readonly testMean: number;
  readonly trainStd: number;
  /** Population stability index over ten bins of equal mass of the training rows. Below 0.1 is calm, above 0.25 is a different market. */
  readonly psi: number;
};

/** All data of the report of one run; `renderReport` determines the layout. */
export type ReportData = {
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly kind: 'base' | 'fine_tune' | 'evaluation';
  readonly synthetic: boolean;
  readonly command: string;
  /** `null` if there was no decision (an evaluation of an existing version). */
  readonly verdict: {
    readonly passed: boolean;
    /** One sentence. */
    readonly headline: string;
    /** The checks, each a sentence with its figures; failed ones first. */
    readonly checks: readonly { readonly holds: boolean; readonly text: string }[];
    /** Suggestions; empty after a pass. */
    readonly advice: readonly string[];
  } | null;
  /** Commands that try the version and make it the default. */
  readonly nextSteps: readonly string[];
  /** Sentences on the split, the excluded rows, the backend and the duration. */
  readonly setting: readonly string[];
  readonly tables: readonly ReportTable[];
  readonly curves: readonly TrainingCurve[];
  /** The candidate is first. */
  readonly reliability: readonly NamedReliability[];
  readonly precision: readonly PrecisionCurve[];
  readonly baseRate: number;
  readonly cells: readonly ReportCell[];
  readonly drift: readonly ColumnDrift[];
  /** Warnings and gaps, a sentence each. */
  readonly notes: readonly string[];
};
