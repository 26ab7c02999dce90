/** Bounds of live connections; settings with the prefix LIVE_. */
export type LiveLimits = {
  readonly connectionsPerAccount: number;
  readonly seriesPerConnection: number;
  readonly forecastsPerSeries: number;
  /** Forecasts of a connection that wait for their outcome. */
  readonly pendingOutcomes: number;
};
