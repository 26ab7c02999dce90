/** Result of the promotion gate when the version was made. */
export type GateResult = {
  /** `not_judged`: made before the gate existed, or by a run that skipped it. */
  readonly verdict: 'passed' | 'not_passed' | 'not_judged';
  /** Id of the version that it was compared with; null: only the EWMA baseline. */
  readonly against: string | null;
  /** One or two sentences for users. */
  readonly summary: string;
};

/** One series of ticks that training used, with a fingerprint per day, which is compared with later data. */
export type TrainedSpan = {
  /** Name of the series. */
  readonly name: string;
  /** Series of one group are correlated, and a split never divides a group. */
  readonly group: string;
  /** SHA-256 of the file as stored, hex. */
  readonly fileSha256: string;
  /** Id of the version whose training used it: this one or an ancestor. */
  readonly by: string;
  /** First and last tick, microseconds since 1970-01-01 UTC. */
  readonly fromUs: number;
  readonly toUs: number;
  /** UTC days, YYYY-MM-DD, each with the fingerprint of its ticks (dayFingerprints). */
  readonly days: readonly { readonly day: string; readonly sha256: string }[];
};

/** Origin of a version. */
export type Lineage = {
  readonly kind: 'base' | 'fine_tune';
  /** Id of the version that was tuned; null for a base. */
  readonly parent: string | null;
  /** Version of the program that trained it. */
  readonly code: string;
  readonly seed: number;
  /** Ticks used by its training and by that of its ancestors. */
  readonly data: readonly TrainedSpan[];
};
