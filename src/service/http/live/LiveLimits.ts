/** Bounds of live connections; settings with the prefix LIVE_. */
export type LiveLimits = {
  readonly connectionsPerAccount: number;
  readonly seriesPerConnection: number;
  readonly forecastsPerSeries: number;
  /** Forecasts of a connection that wait for their outcome. */
  readonly pendingOutcomes: number;
  /** What the open series of all connections may need at most, MB. */
  readonly memoryMb: number;
};
