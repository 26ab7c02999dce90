import type { ByteReader, ByteWriter } from './bytes.ts';
import { MOST_DAYS } from './ClockProfile.ts';

/** What a series weighs by its own outcomes: a constant, the log-odds with the line of the version, and what its memory knows of the clock. */
export const OWN_NAMES = ['intercept', 'slope', 'prof', 'prof_day', 'hours', 'week'] as const;

const COUNT = OWN_NAMES.length;

/** At this distance from -1.5, the usual log-odds, and beyond, more log-odds change nothing. */
const BOUND = 1.5;
const USUAL_LOG_ODDS = -1.5;
const CONSTANT = 0.3;
/** Far beyond what outcomes can teach: log-odds of the base are within 14, and weights begin near 0. */
const MOST_WEIGHT = 1000;
const MOST_LOG_ODDS = 1000;
/** Above -1, so that the probability falls with the threshold. */
const LEAST_SLOPE = -0.9;

/** Means of the weights at the start, in the order of OWN_NAMES, from ticks of left-out groups, rounded. Horizons between both use ln(horizon). */
const TICKS_AT_60_S = [0, 0, 0.1, 0.1, -0.1, 0];
const TICKS_AT_30_MIN = [0, 0, 0.4, 0.3, 0.4, 0.1];
/** The windows of bars have hours, and their model uses the clock. */
const BARS = [0, 0, 0, 0, 0, 0];
/** Standard deviations of the weights at the start. */
const SPREADS = [0.2, 0.2, 0.4, 0.4, 0.3, 0.3];
const SHORT_MS = 60_000;
const SHORT_TO_LONG = 30;

/** Posterior of the weights. It does not change; `afterOutcome` makes another one. */
export type OwnWeights = {
  /** Outcomes that they were learned from. */
  readonly outcomes: number;
  readonly means: readonly number[];
  /** Rows of the lower triangle of the covariance. */
  readonly covariance: readonly number[];
};

/** What a forecast was made from: log-odds with the line of the version, and the inputs, in the order of OWN_NAMES. */
export type OwnQuestion = { readonly logOdds: number; readonly inputs: readonly number[] };

export function startingWeights(horizonMs: number, ofBars: boolean): OwnWeights {
  const share = Math.min(1, Math.max(0, Math.log(horizonMs / SHORT_MS) / Math.log(SHORT_TO_LONG)));
  const ofTicks = TICKS_AT_60_S.map((short, at) => short + share * (TICKS_AT_30_MIN[at]! - short));
  return {
    outcomes: 0,
    means: ofBars ? BARS : ofTicks,
    covariance: SPREADS.flatMap((spread, row) => Array.from({ length: row + 1 }, (_, column) => (column === row ? spread * spread : 0))),
  };
}

/**
 * `days`: earlier days in the profile of the clock, at least 1. `clock`: the inputs from `prof` on, each within 1.5. Inputs grow with the square
 * of the days, so that weights of a young series do little and learn little.
 */
export function ownInputs(logOdds: number, days: number, clock: readonly number[]): number[] {
  const share = (days / MOST_DAYS) * (days / MOST_DAYS);
  const fromUsual = Math.min(BOUND, Math.max(-BOUND, logOdds - USUAL_LOG_ODDS));
  return [CONSTANT, fromUsual, ...clock].map((input) => input * share);
}

/** What the weights add to the log-odds. */
export function ownPart({ means }: OwnWeights, inputs: readonly number[]): number {
  let part = 0;
  for (let at = 0; at < COUNT; at++) part += (at === 1 ? Math.max(LEAST_SLOPE, means[at]!) : means[at]!) * inputs[at]!;
  return part;
}

/**
 * One step of Bayesian logistic regression, z the inputs, p the probability with the present weights, y the outcome, 0 or 1:
 * P <- P - Pz (Pz)' / (1 / (p (1 - p)) + z'Pz), w <- w + P z (y - p) with the new P. Nothing is forgotten, so steps shrink.
 */
export function afterOutcome(before: OwnWeights, { logOdds, inputs }: OwnQuestion, outcome: 0 | 1): OwnWeights {
  const { covariance } = before;
  const p = 1 / (1 + Math.exp(-(logOdds + ownPart(before, inputs))));
  const spread = inputs.map((_, row) => {
    let sum = 0;
    for (let column = 0; column < COUNT; column++) sum += covariance[placeOf(row, column)]! * inputs[column]!;
    return sum;
  });
  let variance = 0;
  for (let at = 0; at < COUNT; at++) variance += spread[at]! * inputs[at]!;
  const information = p * (1 - p);
  const shrink = information / (1 + information * variance);
  const step = (outcome - p) / (1 + information * variance);
  return {
    outcomes: before.outcomes + 1,
    means: before.means.map((mean, at) => mean + spread[at]! * step),
    covariance: spread.flatMap((row, at) =>
      spread.slice(0, at + 1).map((column, of) => covariance[placeOf(at, of)]! - row * column * shrink),
    ),
  };
}

const placeOf = (row: number, column: number): number => (row < column ? placeOf(column, row) : (row * (row + 1)) / 2 + column);

export function saveWeights(out: ByteWriter, { outcomes, means, covariance }: OwnWeights): void {
  for (const value of [outcomes, ...means, ...covariance]) out.double(value);
}

/** `start`: those at the start, whose variances are the largest. `most`: outcomes of the series. */
export function loadWeights(from: ByteReader, start: OwnWeights, most: number): OwnWeights {
  const outcomes = from.count('outcomes of the weights', most);
  const means = start.means.map(() => from.number('weight', -MOST_WEIGHT, MOST_WEIGHT));
  const covariance = start.covariance.map(() => from.double());
  from.check(
    isCovariance(covariance) && OWN_NAMES.every((_, at) => covariance[placeOf(at, at)]! <= start.covariance[placeOf(at, at)]!),
    `the weights cannot have the covariance ${covariance.join(', ')}`,
  );
  return { outcomes, means, covariance };
}

/** Whether Cholesky's factors exist: otherwise a step could be of any size. */
function isCovariance(covariance: readonly number[]): boolean {
  const factor: number[] = [];
  for (let row = 0; row < COUNT; row++)
    for (let column = 0; column <= row; column++) {
      let rest = covariance[placeOf(row, column)]!;
      for (let at = 0; at < column; at++) rest -= factor[placeOf(row, at)]! * factor[placeOf(column, at)]!;
      if (column === row && !(rest > 0)) return false;
      factor.push(column === row ? Math.sqrt(rest) : rest / factor[placeOf(column, column)]!);
    }
  return factor.every(Number.isFinite);
}

export function saveQuestion(out: ByteWriter, question: OwnQuestion | undefined): void {
  out.double(question?.logOdds ?? NaN);
  for (const at of OWN_NAMES.keys()) out.double(question?.inputs[at] ?? NaN);
}

export function loadQuestion(from: ByteReader): { own?: OwnQuestion } {
  const logOdds = from.numberOrNone('log-odds of a forecast', -MOST_LOG_ODDS, MOST_LOG_ODDS);
  const inputs = OWN_NAMES.map((name) => from.numberOrNone(name, -BOUND, BOUND));
  const known = [logOdds, ...inputs].filter(Number.isFinite).length;
  from.check(known === 0 || known === COUNT + 1, `a forecast has the log-odds ${logOdds} and the inputs ${inputs.join(', ')}`);
  return known === 0 ? {} : { own: { logOdds, inputs } };
}
