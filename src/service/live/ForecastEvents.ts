/** A forecast with a mark, of a live series or of a request with ?series=. */
export type MarkedForecast = {
  readonly accountId: string;
  readonly series: string;
  /** Id of the version. */
  readonly model: string;
  /** Microseconds. */
  readonly lastUs: number;
  readonly futureUs: number;
  readonly probability: number;
  readonly minMoveBps: number;
  /** Whether the caller named the threshold. */
  readonly ownThreshold: boolean;
  /** Median spread of the quotes of its window, basis points; null: it has none. */
  readonly costBps: number | null;
};

/** What came true after a mark. */
type MarkOutcome = {
  /** Whether the move was larger than the threshold. */
  readonly moved: boolean;
  readonly moveBps: number;
};

/** Gets marks and their outcomes as they become known. Never throws and never waits. */
export type ForecastEvents = {
  marked(forecast: MarkedForecast): void;
  settled(forecast: MarkedForecast, outcome: MarkOutcome): void;
};
