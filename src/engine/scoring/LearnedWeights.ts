/** Posterior of the weights of a logistic. It does not change; `afterOutcome` makes another one. */
export type LearnedWeights = {
  /** Outcomes that they were learned from. */
  readonly outcomes: number;
  readonly means: readonly number[];
  /** Rows of the lower triangle of the covariance. */
  readonly covariance: readonly number[];
};

/** The second weight multiplies log-odds: above -1, so that the probability rises with them. */
const SLOPE_AT = 1;
const LEAST_SLOPE = -0.9;
/** The first input. */
const CONSTANT = 0.3;
/** At this distance from -1.5, the usual log-odds, and beyond, more log-odds change nothing. */
export const BOUND = 1.5;
export const USUAL_LOG_ODDS = -1.5;

export const placeOf = (row: number, column: number): number => (row < column ? placeOf(column, row) : (row * (row + 1)) / 2 + column);

/** `spreads`: standard deviations of the weights before the first outcome. */
export const startingPosterior = (means: readonly number[], spreads: readonly number[]): LearnedWeights => ({
  outcomes: 0,
  means,
  covariance: spreads.flatMap((spread, row) => Array.from({ length: row + 1 }, (_, column) => (column === row ? spread * spread : 0))),
});

/** Inputs of an intercept and a slope. `most`: above the usual log-odds. */
export const lineInputs = (logOdds: number, most: number = BOUND): readonly [number, number] => [
  CONSTANT,
  Math.min(most, Math.max(-BOUND, logOdds - USUAL_LOG_ODDS)),
];

/** What the weights add to the log-odds. */
export function learnedPart({ means }: LearnedWeights, inputs: readonly number[]): number {
  let part = 0;
  for (let at = 0; at < means.length; at++) part += (at === SLOPE_AT ? Math.max(LEAST_SLOPE, means[at]) : means[at]) * inputs[at];
  return part;
}

/**
 * One step of Bayesian logistic regression, z the inputs, p the probability with the present weights, y the outcome, 0 or 1:
 * P <- P - Pz (Pz)' / (1 / (p (1 - p)) + z'Pz), w <- w + P z (y - p) with the new P. Nothing is forgotten here, so steps shrink.
 */
export function afterOutcome(
  before: LearnedWeights,
  { logOdds, inputs }: { readonly logOdds: number; readonly inputs: readonly number[] },
  outcome: 0 | 1,
): LearnedWeights {
  const { covariance } = before;
  const count = inputs.length;
  const p = 1 / (1 + Math.exp(-(logOdds + learnedPart(before, inputs))));
  const spread = inputs.map((_, row) => {
    let sum = 0;
    for (let column = 0; column < count; column++) sum += covariance[placeOf(row, column)] * inputs[column];
    return sum;
  });
  let variance = 0;
  for (let at = 0; at < count; at++) variance += spread[at] * inputs[at];
  const information = p * (1 - p);
  const shrink = information / (1 + information * variance);
  const step = (outcome - p) / (1 + information * variance);
  return {
    outcomes: before.outcomes + 1,
    means: before.means.map((mean, at) => mean + spread[at] * step),
    covariance: spread.flatMap((row, at) =>
      spread.slice(0, at + 1).map((column, of) => covariance[placeOf(at, of)] - row * column * shrink),
    ),
  };
}

/** Weights that forget: variances grow by a fraction, up to those at the start, so that newer outcomes count more. */
export function forgetting(weights: LearnedWeights, start: LearnedWeights, fraction: number): LearnedWeights {
  const growths = weights.means.map((_, at) => start.covariance[placeOf(at, at)] / weights.covariance[placeOf(at, at)]);
  const growth = Math.max(1, Math.min(1 + fraction, ...growths));
  return { ...weights, covariance: weights.covariance.map((value) => value * growth) };
}
