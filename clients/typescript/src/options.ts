// Written by `npm run docs:reference` from src/contract/forecastOptions.ts and queryParameters.ts.

/** What is asked of a forecast. */
export type RequestOptions = {
  /** A price: with what probability is the price above it at the future timestamp? No direction is claimed. */
  readonly above?: number | undefined;
  /** true: adds `detail`, the explanation, to the last entry, or to the object of `answer=last`. */
  readonly detail?: boolean | undefined;
  /** true: of the two prices of touch, which is reached first, or neither: three probabilities that add up to 1. */
  readonly first?: boolean | undefined;
  /** Fraction of the forecasts of the series that you want marked, the likeliest ones, by a quantile of its last 1,000 probabilities at this horizon and threshold; null with `rate_unknown` until 200 are known. In place of min_probability, from 0.001 to 0.5. */
  readonly markRate?: number | undefined;
  /** Your own cost in basis points (10,000 x log return), or `cost`: the median spread of Bid and Ask; default: a threshold computed from the ticks. */
  readonly minMoveBps?: number | "cost" | undefined;
  /** Smallest probability that you want marked, from 0.01 to 0.99; default: the decision threshold of the version. */
  readonly minProbability?: number | undefined;
  /** Id of a loaded version, or an id without its day: the newest; default: the promoted version. */
  readonly model?: string | undefined;
  /** Levels, 1 to 8 different ones from 0.5 to 0.99: for each, the range that contains the price at the future timestamp with this probability. */
  readonly range?: readonly number[] | undefined;
  /** Up to 16 prices: with what probability is each reached before the future timestamp? No direction is claimed, and no fill promised. */
  readonly touch?: readonly number[] | undefined;
  /** What reaches the prices of touch. limit: the bid one above, the ask one below, as orders fill; stop: the other side; mid: their mean; default: limit with Bid and Ask, else the price. */
  readonly touchBy?: "limit" | "stop" | "mid" | undefined;
  /** Required with bars, refused with ticks. open: timestamps are the beginnings of bars; close: their ends. A wrong one lets a forecast see one bar of the future. */
  readonly barTime?: "open" | "close" | undefined;
  /** true: with series, the forecast does not use what earlier requests said, and nothing of this one is kept. */
  readonly memoryOff?: boolean | undefined;
  /** Name of a series, 1 to 64 of A-Z a-z 0-9 . _ : -; the forecast is scored by a later request of the series; of a track record, only its rows. Of a batch: one name for all items, or one for each with commas between them. */
  readonly series?: string | undefined;
  /** true: the answer has a Server-Timing header with the milliseconds of each stage. */
  readonly timing?: boolean | undefined;
};

/** Names in a query, with the text of what is switched on. */
export const QUERY_NAMES = {
  above: 'above',
  detail: 'detail=full',
  first: 'first=on',
  markRate: 'mark_rate',
  minMoveBps: 'min_move_bps',
  minProbability: 'min_probability',
  model: 'model',
  range: 'range',
  touch: 'touch',
  touchBy: 'touch_by',
  barTime: 'bar_time',
  memoryOff: 'memory=off',
  series: 'series',
  timing: 'timing=server',
} as const;

/** Options of the forecasts of a live series, and of a live request for one. */
export const LIVE_OPTIONS = ['above', 'first', 'markRate', 'minMoveBps', 'minProbability', 'range', 'touch', 'touchBy'] as const;
export const ASK_OPTIONS = ['above', 'first', 'minMoveBps', 'minProbability', 'range', 'touch', 'touchBy'] as const;
