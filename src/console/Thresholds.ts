/** What is asked about a window. */
export type Thresholds = {
  /** The caller's own; null: the window's. */
  readonly minMoveBps: number | null;
  /** Smallest probability that is marked; absent: that of the version. */
  readonly minProbability?: number | undefined;
};
