import { type ByteReader, type ByteWriter, MOST_MOVE } from './bytes.ts';
import { afterOutcome, forgetting, learnedPart, type LearnedWeights, lineInputs, startingPosterior } from '../scoring/LearnedWeights.ts';
import { loadWeights, saveWeights } from './OwnWeights.ts';
import { loadRanges, NO_RANGES, RANGE_LEVELS, type RangeOutcomes, saveRanges, withRange } from './ranges.ts';

/**
 * Distances, in standard deviations of the window, of the levels whose outcomes a series learns from: one on each side. Not levels of a certain
 * chance: at those, what a series learns does not tell a window whose chances are too high from one whose chances are too low.
 */
export const TOUCH_DISTANCES = [0.5, 1, 1.5] as const;

/** Standard deviations of both weights at the start, from months of two markets, rounded. */
const SPREADS = [0.5, 0.3] as const;
/** How markets touch changes with their ticks over weeks: the variance grows by this fraction with each outcome. */
const FORGOTTEN = 0.003;
/** Near levels are reached more often than others: their log-odds count further than those of moves. */
export const touchLine = (logOdds: number): readonly [number, number] => lineInputs(logOdds, 2.5);
/** Beyond what a version says. */
const MOST_LOG_ODDS = 1000;

/** What the outcomes of a series say of its touches. */
export type TouchOutcomes = {
  /** On the log-odds of a touch. `outcomes`: forecasts, not levels. */
  readonly weights: LearnedWeights;
  /** Of the ranges of the extremes. */
  readonly reach: RangeOutcomes;
};

const START = startingPosterior([0, 0], SPREADS);
export const NO_TOUCHES: TouchOutcomes = { weights: START, reach: NO_RANGES };

/** What a forecast was asked. */
export type TouchQuestion = {
  /** sigma(600) sqrt(H), log price. */
  readonly sigma: number;
  /** Log-odds, without the weights of the series, at each of TOUCH_DISTANCES; NaN for none. */
  readonly logOdds: readonly number[];
  /** Its ranges of the extremes, one for each of RANGE_LEVELS, log price; NaN for none. */
  readonly reach: readonly number[];
};

/** ln of the greatest and of the smallest price against the last one of the window; infinite without a price. */
type Extremes = { readonly up: number; readonly down: number };

/** What the series adds to the log-odds of a touch. They still fall with the distance. */
export const touchPart = ({ weights }: TouchOutcomes, logOdds: number): number => learnedPart(weights, touchLine(logOdds));

export function withTouches(before: TouchOutcomes, { sigma, logOdds, reach }: TouchQuestion, { up, down }: Extremes): TouchOutcomes {
  const known = [...logOdds.keys()].filter((at) => Number.isFinite(logOdds[at]));
  let { weights } = before;
  for (const at of known)
    for (const size of [up, -down])
      weights = afterOutcome(
        weights,
        { logOdds: logOdds[at], inputs: touchLine(logOdds[at]) },
        size >= TOUCH_DISTANCES[at] * sigma ? 1 : 0,
      );
  return {
    weights: known.length === 0 ? weights : { ...forgetting(weights, START, FORGOTTEN), outcomes: before.weights.outcomes + 1 },
    reach: withRange(before.reach, reach, Math.max(up, -down, 0)),
  };
}

export function saveTouches(out: ByteWriter, { weights, reach }: TouchOutcomes): void {
  saveWeights(out, weights);
  saveRanges(out, reach);
}

/** `most`: outcomes of the series. */
export const loadTouches = (from: ByteReader, most: number): TouchOutcomes => ({
  weights: loadWeights(from, START, most),
  reach: loadRanges(from, most),
});

export function saveTouchQuestion(out: ByteWriter, question: TouchQuestion | undefined): void {
  out.double(question?.sigma ?? NaN);
  for (const at of TOUCH_DISTANCES.keys()) out.double(question?.logOdds[at] ?? NaN);
  for (const at of RANGE_LEVELS.keys()) out.double(question?.reach[at] ?? NaN);
}

/** Undefined: none was asked. */
export function loadTouchQuestion(from: ByteReader): TouchQuestion | undefined {
  const sigma = from.numberOrNone('standard deviation of a window', Number.MIN_VALUE, MOST_MOVE);
  const logOdds = TOUCH_DISTANCES.map(() => from.numberOrNone('log-odds of a touch', -MOST_LOG_ODDS, MOST_LOG_ODDS));
  const reach = RANGE_LEVELS.map(() => from.numberOrNone('range of extremes', 0, Number.MAX_VALUE));
  return Number.isFinite(sigma) ? { sigma, logOdds, reach } : undefined;
}
