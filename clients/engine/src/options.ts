// Written by `npm run docs:reference` from src/contract/forecastOptions.ts and queryParameters.ts.

/** What is asked of each forecast. */
export type OptionsOfAll = {
  /** Your own cost in basis points (10,000 x log return), or `cost`: the median spread of Bid and Ask; default: a threshold computed from the ticks. */
  readonly minMoveBps?: number | "cost" | undefined;
  /** Smallest probability that you want marked, from 0.01 to 0.99; default: the decision threshold of the version. */
  readonly minProbability?: number | undefined;
  /** Levels, 1 to 8 different ones from 0.5 to 0.99: for each, the range that contains the price at the future timestamp with this probability. */
  readonly range?: readonly number[] | undefined;
};

/** What is asked of one forecast. */
export type OptionsOfOne = {
  /** A price: with what probability is the price above it at the future timestamp? No direction is claimed. */
  readonly above?: number | undefined;
  /** true: of the two prices of touch, which is reached first, or neither: three probabilities that add up to 1. */
  readonly first?: boolean | undefined;
  /** Up to 16 prices: with what probability is each reached before the future timestamp? No direction is claimed, and no fill promised. */
  readonly touch?: readonly number[] | undefined;
  /** What reaches the prices of touch. limit: the bid one above, the ask one below, as orders fill; stop: the other side; mid: their mean; default: limit with Bid and Ask, else the price. */
  readonly touchBy?: "limit" | "stop" | "mid" | undefined;
};
