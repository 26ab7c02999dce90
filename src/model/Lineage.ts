/** What the gate said of a version when it was made. */
export type GateRecord = {
  /** `not_judged`: made before there was a gate, or by a run that skipped it. */
  readonly verdict: 'passed' | 'not_passed' | 'not_judged';
  /** Id of the version that it was judged against; null: the EWMA baseline alone. */
  readonly against: string | null;
  /** One or two sentences in plain words. */
  readonly summary: string;
};

/** One series of ticks that training saw, with a print of every day: later data are compared with it day by day. */
export type TrainedSpan = {
  /** Name of the series. */
  readonly name: string;
  /** Series of one group move together and never straddle a split. */
  readonly group: string;
  /** SHA-256 of the file as stored, hex. */
  readonly fileSha256: string;
  /** Id of the version whose training saw it: this one or an ancestor. */
  readonly by: string;
  /** First and last tick, microseconds since 1970-01-01 UTC. */
  readonly fromUs: number;
  readonly toUs: number;
  /** UTC days, YYYY-MM-DD, each with the print of its ticks (dayPrints). */
  readonly days: readonly { readonly day: string; readonly sha256: string }[];
};

/** Where a version comes from. */
export type Lineage = {
  readonly kind: 'base' | 'fine_tune';
  /** Id of the version that was tuned; null for a base. */
  readonly parent: string | null;
  /** Version of the program that trained it. */
  readonly code: string;
  readonly seed: number;
  /** What its training and its ancestors' saw. */
  readonly data: readonly TrainedSpan[];
};
