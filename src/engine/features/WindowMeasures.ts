/** Why a window has no features, and therefore no training row and no probability. `density_untrained`: bars that the version cannot read. */
export type WindowRefusal =
  | 'too_few_distinct_ticks'
  | 'window_without_duration'
  | 'constant_price'
  | 'level_changed'
  | 'feature_not_finite'
  | 'density_untrained';

/** Time constants of the volatility estimates in seconds, in the order of `sigmas`; `Infinity` is the whole window. */
export const SIGMA_TAUS_S = [30, 120, 600, Infinity] as const;

/**
 * Measures of a window at its origin, the last observed tick. Symbols as in columns.ts; docs/explanation/evaluation.md ("What is
 * predicted") describes label and threshold. The arrays are views into the builder's workspace, valid until its next `read`.
 */
export type WindowMeasures = {
  /** Ticks as sent, equal stamps included. */
  readonly ticks: number;
  /** Distinct timestamps (cut to ms) after the last session gap: the length of `timesS` and `logPrices`. */
  readonly distinctTicks: number;
  /** Ticks removed before the last session gap (0 if there is none). */
  readonly ticksBeforeGap: number;
  /** Seconds relative to the origin, ascending, last one 0. */
  readonly timesS: Float64Array;
  /** ln price relative to the last price: last one 0. Add `logLastPrice` for ln price. */
  readonly logPrices: Float64Array;
  readonly lastPrice: number;
  /** H, seconds. */
  readonly horizonS: number;
  /** W, seconds. */
  readonly windowS: number;
  readonly medianGapS: number;
  /** Log price per sqrt(second), one for each of SIGMA_TAUS_S. */
  readonly sigmas: readonly [number, number, number, number];
  /** sigma(600) * sqrt(H): the expected size of a move over the horizon, in log price. */
  readonly sigmaHorizon: number;
  /** q, c and the default threshold theta*, in log price. */
  readonly quantileMove: number;
  readonly cost: number;
  readonly thetaDefault: number;
};

/** The measures without the path: what stays valid. */
export type WindowFacts = Omit<WindowMeasures, 'timesS' | 'logPrices'>;

/** Shape of the network's input rows. */
export const SEQUENCE_STEPS = 96;
export const SEQUENCE_COLUMNS = 10;
