/** What is asked about a window. */
export type Thresholds = {
  /** The caller's own; cost: the median spread of the quotes of each window; null: the window's. */
  readonly minMoveBps: number | 'cost' | null;
  /** Smallest probability that is marked; absent: that of the version. */
  readonly minProbability?: number | undefined;
};
