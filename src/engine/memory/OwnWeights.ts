import type { ByteReader, ByteWriter } from './bytes.ts';
import { BOUND, lineInputs, placeOf, startingPosterior, type LearnedWeights } from '../scoring/LearnedWeights.ts';
import { DAY_MS, MOST_DAYS } from './ClockProfile.ts';

/**
 * What a series weighs by its own outcomes: a constant, the log-odds with the line of the version, what its memory knows of the clock, and how much
 * more frequent moves are around 06:00 and 00:00 UTC than 12 hours later.
 */
export const OWN_NAMES = ['intercept', 'slope', 'prof', 'prof_day', 'hours', 'week', 'utc_6h', 'utc_0h'] as const;

/** Weights of earlier formats, which had none of the time of day. */
const UNTIMED = 6;

/** Far beyond what outcomes can teach: log-odds of the base are within 14, and weights begin near 0. */
const MOST_WEIGHT = 1000;
const MOST_LOG_ODDS = 1000;
/** Variances that grow again end at those at the start, but for the last bit. */
const ROUNDING = 1 + 1e-12;
/** Means of the weights at the start, in the order of OWN_NAMES, from ticks of left-out groups, rounded. Horizons between both use ln(horizon). */
const TICKS_AT_60_S = [0, 0, 0.1, 0.1, -0.1, 0, 0, 0];
const TICKS_AT_30_MIN = [0, 0, 0.4, 0.3, 0.4, 0.1, 0, 0];
/** The same of bars, whose windows have hours and whose model uses the clock. */
const BARS = [0, -0.1, 0, 0, 0, 0.3, 0, 0];
/** Standard deviations of the weights at the start. */
const SPREADS = [0.2, 0.2, 0.4, 0.4, 0.3, 0.3, 0.15, 0.15];
const SHORT_MS = 60_000;
const SHORT_TO_LONG = 30;

export type OwnWeights = LearnedWeights;

/** What a forecast was made from: log-odds with the line of the version, and the inputs, in the order of OWN_NAMES. */
export type OwnQuestion = { readonly logOdds: number; readonly inputs: readonly number[] };

export function startingWeights(horizonMs: number, ofBars: boolean): OwnWeights {
  const share = Math.min(1, Math.max(0, Math.log(horizonMs / SHORT_MS) / Math.log(SHORT_TO_LONG)));
  const ofTicks = TICKS_AT_60_S.map((short, at) => short + share * (TICKS_AT_30_MIN[at] - short));
  return startingPosterior(ofBars ? BARS : ofTicks, SPREADS);
}

/**
 * `days`: earlier days in the profile of the clock, at least 1. `clock`: the inputs from `prof` to `week`, each within 1.5. `midMs`: the middle of
 * the horizon. Inputs grow with the square of the days, so that weights of a young series do little and learn little.
 */
export function ownInputs(logOdds: number, days: number, clock: readonly number[], midMs: number): number[] {
  const share = (days / MOST_DAYS) * (days / MOST_DAYS);
  return withWaves(
    [...lineInputs(logOdds), ...clock].map((input) => input * share),
    midMs,
  );
}

/** The waves follow from the constant and the time, so they are not stored. */
function withWaves(inputs: readonly number[], midMs: number): number[] {
  const phase = (midMs % DAY_MS) / DAY_MS;
  return [...inputs, inputs[0] * wave(phase), inputs[0] * wave((phase + 0.25) % 1)];
}

/** 1 at a quarter of the day, -1 at three quarters. Parabolas, because the bits of Math.sin differ between browsers. */
function wave(phase: number): number {
  const half = phase % 0.5;
  return (phase < 0.5 ? 16 : -16) * half * (0.5 - half);
}

export function saveWeights(out: ByteWriter, { outcomes, means, covariance }: OwnWeights): void {
  for (const value of [outcomes, ...means, ...covariance]) out.double(value);
}

/** `start`: those at the start, whose variances are the largest. `most`: outcomes of the series. */
export function loadWeights(from: ByteReader, start: OwnWeights, most: number): OwnWeights {
  const outcomes = from.count('outcomes of the weights', most);
  const means = start.means.map(() => from.number('weight', -MOST_WEIGHT, MOST_WEIGHT));
  const covariance = start.covariance.map(() => from.double());
  from.check(
    isCovariance(covariance, means.length) &&
      means.every((_, at) => covariance[placeOf(at, at)] <= start.covariance[placeOf(at, at)] * ROUNDING),
    `the weights cannot have the covariance ${covariance.join(', ')}`,
  );
  return { outcomes, means, covariance };
}

/** As `loadWeights`; `isTimed` false: they are of an earlier format, so those of the time of day begin. */
export function loadOwn(from: ByteReader, start: OwnWeights, most: number, isTimed: boolean): OwnWeights {
  if (isTimed) return loadWeights(from, start, most);
  const cut = placeOf(UNTIMED, 0);
  const first = { ...start, means: start.means.slice(0, UNTIMED), covariance: start.covariance.slice(0, cut) };
  const { outcomes, means, covariance } = loadWeights(from, first, most);
  return { outcomes, means: [...means, ...start.means.slice(UNTIMED)], covariance: [...covariance, ...start.covariance.slice(cut)] };
}

/** Whether Cholesky's factors exist: otherwise a step could be of any size. */
function isCovariance(covariance: readonly number[], count: number): boolean {
  const factor: number[] = [];
  for (let row = 0; row < count; row++)
    for (let column = 0; column <= row; column++) {
      let rest = covariance[placeOf(row, column)];
      for (let at = 0; at < column; at++) rest -= factor[placeOf(row, at)] * factor[placeOf(column, at)];
      if (column === row && !(rest > 0)) return false;
      factor.push(column === row ? Math.sqrt(rest) : rest / factor[placeOf(column, column)]);
    }
  return factor.every(Number.isFinite);
}

export function saveQuestion(out: ByteWriter, question: OwnQuestion | undefined): void {
  out.double(question?.logOdds ?? NaN);
  for (let at = 0; at < UNTIMED; at++) out.double(question?.inputs[at] ?? NaN);
}

/** `midMs`: the middle of its horizon. */
export function loadQuestion(from: ByteReader, midMs: number): { own?: OwnQuestion } {
  const logOdds = from.numberOrNone('log-odds of a forecast', -MOST_LOG_ODDS, MOST_LOG_ODDS);
  const inputs = OWN_NAMES.slice(0, UNTIMED).map((name) => from.numberOrNone(name, -BOUND, BOUND));
  const known = [logOdds, ...inputs].filter(Number.isFinite).length;
  from.check(known === 0 || known === UNTIMED + 1, `a forecast has the log-odds ${logOdds} and the inputs ${inputs.join(', ')}`);
  return known === 0 ? {} : { own: { logOdds, inputs: withWaves(inputs, midMs) } };
}
