import type { RangeBand } from '../../contract/outlook.ts';
import { RANGE_LEVELS } from '../memory/ranges.ts';
import { addCoverage, type Coverage } from '../scoring/coverage.ts';
import { overlapInterval } from '../scoring/overlapInterval.ts';
import { addBins, binOf, type Bin } from './bins.ts';

/**
 * Counts and sums of the forecasts of one id, which can be added up over connections, workers and days. `forecasts` counts every forecast
 * that was made, `outcomes` those that were compared with what came true, `unscored` those that cannot be compared (a pause of the market, a
 * closed series, no probability). The rest is pending, or was lost by a restart.
 */
export type Tally = {
  readonly forecasts: number;
  readonly outcomes: number;
  readonly unscored: number;
  /** Of the outcomes: forecasts that were marked, marks that came true, and moves above the threshold. */
  readonly marks: number;
  readonly hits: number;
  readonly moved: number;
  /** Sum over the outcomes of (probability − moved)², of the forecast and of the version's own volatility baseline. */
  readonly brierSum: number;
  readonly baselineBrierSum: number;
  /** Sum over the outcomes of overlap × (difference of the two losses)², for the interval. */
  readonly squaredDifferenceSum: number;
  /** Sum over the marks of their overlap with each other, for the interval of hits / marks; 0 for marks that an earlier release counted. */
  readonly markOverlapSum: number;
  /** The outcomes by tenths of the probability; absent without an outcome, and of outcomes that an earlier release counted. */
  readonly bins?: readonly Bin[];
  /** By level, the ranges whose outcome is known; absent without one. Only levels of RANGE_LEVELS, so that they stay few. */
  readonly coverage?: readonly Coverage[];
};

export const EMPTY_TALLY: Tally = {
  forecasts: 0,
  outcomes: 0,
  unscored: 0,
  marks: 0,
  hits: 0,
  moved: 0,
  brierSum: 0,
  baselineBrierSum: 0,
  squaredDifferenceSum: 0,
  markOverlapSum: 0,
};

export type ScoredOutcome = {
  readonly probability: number;
  readonly baselineProbability: number;
  readonly isMarked: boolean;
  /** Whether the move was larger than the threshold. */
  readonly moved: boolean;
  /** Number of forecasts of this id, this one included, whose horizons contain one moment: horizon / time between forecasts. Default 1. */
  readonly overlap?: number;
  /** Of a mark, the same among marks. Default 1. */
  readonly markOverlap?: number;
};

/** The tally with one more forecast, which is pending. */
export function addForecast(tally: Tally): Tally {
  return { ...tally, forecasts: tally.forecasts + 1 };
}

/** The tally with the outcome of a forecast that `addForecast` counted before. */
export function addOutcome(
  tally: Tally,
  { probability, baselineProbability, isMarked, moved, overlap = 1, markOverlap = 1 }: ScoredOutcome,
): Tally {
  const happened = moved ? 1 : 0;
  const loss = (probability - happened) ** 2;
  const baselineLoss = (baselineProbability - happened) ** 2;
  const marked = isMarked ? 1 : 0;
  return {
    ...tally,
    outcomes: tally.outcomes + 1,
    marks: tally.marks + marked,
    hits: tally.hits + marked * happened,
    moved: tally.moved + happened,
    brierSum: tally.brierSum + loss,
    baselineBrierSum: tally.baselineBrierSum + baselineLoss,
    bins: addBins(tally.bins ?? [], [binOf(probability, moved)]),
    squaredDifferenceSum: tally.squaredDifferenceSum + Math.max(1, overlap) * (loss - baselineLoss) ** 2,
    markOverlapSum: tally.markOverlapSum + marked * markOverlap,
  };
}

/** The tally with the ranges of a forecast whose move is known, whether or not it counts as an outcome. */
export function addRanges(tally: Tally, range: readonly RangeBand[] | undefined, moveBps: number, overlap = 1): Tally {
  const isCounted = ({ level, move_bps: bps }: RangeBand): boolean => bps !== null && RANGE_LEVELS.some((kept) => kept === level);
  const some = range?.filter(isCounted) ?? [];
  if (some.length === 0) return tally;
  const added = some.map(({ level, move_bps: bps }) => ({
    ...{ level, outcomes: 1, covered: Math.abs(moveBps) <= bps! ? 1 : 0 },
    overlapSum: Math.max(1, overlap),
  }));
  return { ...tally, coverage: addCoverage(tally.coverage ?? [], added) };
}

/** The tally with `count` more forecasts, counted by `addForecast` before, that cannot be compared. */
export function addUnscored(tally: Tally, count = 1): Tally {
  return { ...tally, unscored: tally.unscored + count };
}

/** Written out, because it runs four times a live forecast. */
export function mergeTallies(a: Tally, b: Tally): Tally {
  return {
    forecasts: a.forecasts + b.forecasts,
    outcomes: a.outcomes + b.outcomes,
    unscored: a.unscored + b.unscored,
    marks: a.marks + b.marks,
    hits: a.hits + b.hits,
    moved: a.moved + b.moved,
    brierSum: a.brierSum + b.brierSum,
    baselineBrierSum: a.baselineBrierSum + b.baselineBrierSum,
    squaredDifferenceSum: a.squaredDifferenceSum + b.squaredDifferenceSum,
    markOverlapSum: a.markOverlapSum + b.markOverlapSum,
    ...merged('bins', a, b, addBins),
    ...merged('coverage', a, b, addCoverage),
  };
}

function merged<Name extends 'bins' | 'coverage'>(
  name: Name,
  a: Tally,
  b: Tally,
  add: (...lists: NonNullable<Tally[Name]>[]) => NonNullable<Tally[Name]>,
): Pick<Tally, Name> {
  const [ofA, ofB]: readonly (Tally[Name] | undefined)[] = [a[name], b[name]];
  const sum = ofA === undefined ? ofB : ofB === undefined ? ofA : add(ofA, ofB);
  return (sum === undefined ? {} : { [name]: sum }) as Pick<Tally, Name>;
}

/** 90 % interval of hits / marks, in which marks that overlap in time count as one as far as they overlap; null without a mark. */
export const hitIntervalOf = ({ marks, hits, markOverlapSum }: Pick<Tally, 'marks' | 'hits' | 'markOverlapSum'>): [number, number] | null =>
  marks === 0 ? null : overlapInterval(hits, marks, markOverlapSum);

export type Conclusion = {
  /** Of the Brier score against that of the baseline; `too_few`: the interval contains 0, or there are too few outcomes of a kind. */
  readonly conclusion: 'better' | 'worse' | 'too_few';
  /** Means over the outcomes; null without an outcome. A smaller Brier score is better. */
  readonly brier: number | null;
  readonly baselineBrier: number | null;
  /** `baselineBrier` − `brier`: above 0, the forecasts are better than the baseline. */
  readonly difference: number | null;
  /** 99 % interval of `difference`. */
  readonly interval: readonly [number, number] | null;
};

/** 99.5 % quantile of the normal distribution. Not 97.5 %: a running score is looked at many times. */
const Z = 2.5758;
/** Fewest moves and fewest other outcomes for a conclusion, as in a cell of the evaluation (docs/explanation/evaluation.md). */
const MIN_EACH = 40;

/**
 * Compares the Brier score with that of the baseline. Outcomes of overlapping horizons are nearly one piece of evidence: each squared
 * difference counts `overlap` times, which bounds the variance of the sum whatever the correlation within an overlap. The sum over its root
 * is a self-normalized sum, whose tails are at most normal if there is no difference (de la Peña, Lai and Shao, 2009, ch. 2).
 */
export function conclude(tally: Tally): Conclusion {
  const { outcomes, moved, brierSum, baselineBrierSum, squaredDifferenceSum } = tally;
  if (outcomes === 0) return { conclusion: 'too_few', brier: null, baselineBrier: null, difference: null, interval: null };
  const difference = (baselineBrierSum - brierSum) / outcomes;
  const halfWidth = (Z * Math.sqrt(squaredDifferenceSum)) / outcomes;
  const isEnough = Math.min(moved, outcomes - moved) >= MIN_EACH && Math.abs(difference) > halfWidth;
  return {
    conclusion: !isEnough ? 'too_few' : difference > 0 ? 'better' : 'worse',
    brier: brierSum / outcomes,
    baselineBrier: baselineBrierSum / outcomes,
    difference,
    interval: [difference - halfWidth, difference + halfWidth],
  };
}
