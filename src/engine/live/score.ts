import type { RangeBand, TouchAnswer } from '../../contract/outlook.ts';
import { RANGE_LEVELS } from '../memory/ranges.ts';
import { addCoverage, type Coverage } from '../scoring/coverage.ts';
import type { BaselineProbabilities } from '../scoring/SeriesBaselines.ts';
import { overlapInterval } from '../scoring/wilsonInterval.ts';
import { intervalText, type Rival, strongestOf, type Concluded, concludedOf, concludedSentence } from '../scoring/conclusions.ts';
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
  /** Sum over the outcomes of (probability − moved)², of the forecast and of the recalibrated volatility baseline; of outcomes that an earlier release counted, of that of the version. */
  readonly brierSum: number;
  readonly baselineBrierSum: number;
  /** Sum over the outcomes of overlap × (difference of the two losses)², for the interval. */
  readonly squaredDifferenceSum: number;
  /** Sum over the marks of their overlap with each other, for the interval of hits / marks; 0 for marks that an earlier release counted. */
  readonly markOverlapSum: number;
  /** The outcomes by tenths of the probability; absent without an outcome, and of outcomes that an earlier release counted. */
  readonly bins?: readonly Bin[];
  /** The comparison with the base rate so far; absent without an outcome, and of outcomes that an earlier release counted. */
  readonly baseRateSums?: BaseRateSums;
  /** Prices that were asked about with touch; absent without an outcome of one. */
  readonly touchSums?: TouchSums;
  /** By level, the ranges whose outcome is known; absent without one. Only levels of RANGE_LEVELS, so that they stay few. */
  readonly coverage?: readonly Coverage[];
};

/** Outcomes that were compared with the base rate so far, sums of both Brier scores over them, and as `squaredDifferenceSum`. */
export type BaseRateSums = {
  readonly outcomes: number;
  readonly brierSum: number;
  readonly forecastBrierSum: number;
  readonly squaredDifferenceSum: number;
};

/** Of forecasts with touch, as of the base rate: each counts once, with the means over its levels; the rival is a driftless normal. */
export type TouchSums = BaseRateSums & { readonly levels: number; readonly reached: number };

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
  /** What the forecast is compared with. */
  readonly baselines: BaselineProbabilities;
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
export function addOutcome(tally: Tally, { probability, baselines, isMarked, moved, overlap = 1, markOverlap = 1 }: ScoredOutcome): Tally {
  const happened = moved ? 1 : 0;
  const loss = (probability - happened) ** 2;
  const baselineLoss = (baselines.baseline - happened) ** 2;
  const rateLoss = (baselines.baseRate - happened) ** 2;
  const squared = (other: number): number => Math.max(1, overlap) * (loss - other) ** 2;
  const marked = isMarked ? 1 : 0;
  return mergeTallies(tally, {
    forecasts: 0,
    outcomes: 1,
    unscored: 0,
    marks: marked,
    hits: marked * happened,
    moved: happened,
    brierSum: loss,
    baselineBrierSum: baselineLoss,
    squaredDifferenceSum: squared(baselineLoss),
    markOverlapSum: marked * markOverlap,
    bins: [binOf(probability, moved)],
    baseRateSums: { outcomes: 1, brierSum: rateLoss, forecastBrierSum: loss, squaredDifferenceSum: squared(rateLoss) },
  });
}

const NO_BASE_RATE: BaseRateSums = { outcomes: 0, brierSum: 0, forecastBrierSum: 0, squaredDifferenceSum: 0 };

export const addBaseRates = (a: BaseRateSums, b: BaseRateSums): BaseRateSums => ({
  outcomes: a.outcomes + b.outcomes,
  brierSum: a.brierSum + b.brierSum,
  forecastBrierSum: a.forecastBrierSum + b.forecastBrierSum,
  squaredDifferenceSum: a.squaredDifferenceSum + b.squaredDifferenceSum,
});

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

type AskedLevel = Pick<TouchAnswer['levels'][number], 'probability' | 'baseline_probability'>;

/** The tally with the prices that a forecast was asked about, of which `touched` were reached. */
export function addTouches(tally: Tally, levels: readonly AskedLevel[], touched: readonly boolean[], overlap = 1): Tally {
  const known = levels.flatMap(({ probability: p, baseline_probability: rival }, at) =>
    p === null || rival === null
      ? []
      : [{ loss: (p - Number(touched[at])) ** 2, rivalLoss: (rival - Number(touched[at])) ** 2, reached: Number(touched[at]) }],
  );
  if (known.length === 0) return tally;
  const sum = (of: 'loss' | 'rivalLoss' | 'reached'): number => known.reduce((total, one) => total + one[of], 0);
  const [forecastBrierSum, brierSum] = [sum('loss') / known.length, sum('rivalLoss') / known.length];
  const squaredDifferenceSum = Math.max(1, overlap) * (forecastBrierSum - brierSum) ** 2;
  const added = { outcomes: 1, levels: known.length, reached: sum('reached'), brierSum, forecastBrierSum, squaredDifferenceSum };
  return { ...tally, touchSums: tally.touchSums === undefined ? added : addTouchSums(tally.touchSums, added) };
}

const addTouchSums = (a: TouchSums, b: TouchSums): TouchSums => ({
  ...addBaseRates(a, b),
  ...{ levels: a.levels + b.levels, reached: a.reached + b.reached },
});

/** The tally with `count` more forecasts, counted by `addForecast` before, that cannot be compared. */
export function addUnscored(tally: Tally, count = 1): Tally {
  return { ...tally, unscored: tally.unscored + count };
}

/** Written out, because it runs five times a live forecast: objects that are spread cost as much as its sums. */
export function mergeTallies(a: Tally, b: Tally): Tally {
  const sum: { -readonly [Name in keyof Tally]: Tally[Name] } = {
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
  };
  const bins = merged(a.bins, b.bins, addBins);
  const coverage = merged(a.coverage, b.coverage, addCoverage);
  const baseRateSums = merged(a.baseRateSums, b.baseRateSums, addBaseRates);
  const touchSums = merged(a.touchSums, b.touchSums, addTouchSums);
  if (bins !== undefined) sum.bins = bins;
  if (coverage !== undefined) sum.coverage = coverage;
  if (baseRateSums !== undefined) sum.baseRateSums = baseRateSums;
  if (touchSums !== undefined) sum.touchSums = touchSums;
  return sum;
}

const merged = <T>(a: T | undefined, b: T | undefined, add: (a: T, b: T) => T): T | undefined =>
  a === undefined ? b : b === undefined ? a : add(a, b);

/** 90 % interval of hits / marks, in which marks that overlap in time count as one as far as they overlap; null without a mark. */
export const hitIntervalOf = ({ marks, hits, markOverlapSum }: Pick<Tally, 'marks' | 'hits' | 'markOverlapSum'>): [number, number] | null =>
  marks === 0 ? null : overlapInterval(hits, marks, markOverlapSum);

/** One baseline on the outcomes that were compared with it. */
export type Against = {
  /** Means over the outcomes: a smaller Brier score is better. */
  readonly brier: number;
  /** Brier score of the baseline − that of the forecasts: above 0, the forecasts are better. */
  readonly difference: number;
  /** 99 % interval of `difference`. */
  readonly interval: readonly [number, number];
};

export type Conclusion = {
  /** Against `rival`; `too_few`: the interval contains 0, or there are too few outcomes of a kind. */
  readonly conclusion: Concluded;
  /** The better baseline; null without an outcome, as the others. */
  readonly rival: Rival | null;
  readonly brier: number | null;
  readonly against: Readonly<Record<Rival, Against | null>>;
};

/** 99.5 % quantile of the normal distribution. Not 97.5 %: a running score is looked at many times. */
const Z = 2.5758;
/** Fewest moves and fewest other outcomes for a conclusion, as in a cell of the evaluation (docs/explanation/evaluation.md). */
const MIN_EACH = 40;

/** What `conclude` reads of a tally. */
export type ComparedSums = Pick<Tally, 'outcomes' | 'moved' | 'brierSum' | 'baselineBrierSum' | 'squaredDifferenceSum' | 'baseRateSums'>;

/**
 * Compares the Brier score with those of the baselines. Outcomes of overlapping horizons are nearly one piece of evidence: each squared
 * difference counts `overlap` times, which bounds the variance of the sum whatever the correlation within an overlap. The sum over its root
 * is a self-normalized sum, whose tails are at most normal if there is no difference (de la Peña, Lai and Shao, 2009, ch. 2).
 */
export function conclude({ outcomes, moved, brierSum, baselineBrierSum, squaredDifferenceSum, baseRateSums }: ComparedSums): Conclusion {
  const against = {
    baseline: againstOf({ outcomes, brierSum: baselineBrierSum, forecastBrierSum: brierSum, squaredDifferenceSum }),
    base_rate: againstOf(baseRateSums ?? NO_BASE_RATE),
  };
  const rival = strongestOf<Against>(against, ({ difference }) => difference);
  const isEnough = Math.min(moved, outcomes - moved) >= MIN_EACH;
  return {
    conclusion: rival === null || !isEnough ? 'too_few' : concludedOf(against[rival]!.interval),
    rival,
    brier: outcomes === 0 ? null : brierSum / outcomes,
    against,
  };
}

export function againstOf({ outcomes, brierSum, forecastBrierSum, squaredDifferenceSum }: BaseRateSums): Against | null {
  if (outcomes === 0) return null;
  const difference = (brierSum - forecastBrierSum) / outcomes;
  const halfWidth = (Z * Math.sqrt(squaredDifferenceSum)) / outcomes;
  return { brier: brierSum / outcomes, difference, interval: [difference - halfWidth, difference + halfWidth] };
}

/** The conclusion as the wire has it. */
export const comparisonFields = ({ conclusion, rival, brier, against: { baseline, base_rate: baseRate } }: Conclusion) => ({
  ...{ brier, baseline_brier: baseline?.brier ?? null, base_rate_brier: baseRate?.brier ?? null },
  ...{ difference: baseline?.difference ?? null, interval: intervalOf(baseline) },
  ...{ base_rate_difference: baseRate?.difference ?? null, base_rate_interval: intervalOf(baseRate), rival, conclusion },
});

const intervalOf = (against: Against | null): [number, number] | null => (against === null ? null : [...against.interval]);

/** The conclusion of what `comparisonFields` wrote. */
export function conclusionOf(fields: ComparisonFields): Conclusion {
  const of = (brier: number | null, difference: number | null, interval: readonly number[] | null): Against | null =>
    brier === null || difference === null || interval === null ? null : { brier, difference, interval: [interval[0], interval[1]] };
  return {
    ...{ conclusion: fields.conclusion, rival: fields.rival, brier: fields.brier },
    against: {
      baseline: of(fields.baseline_brier, fields.difference, fields.interval),
      base_rate: of(fields.base_rate_brier, fields.base_rate_difference, fields.base_rate_interval),
    },
  };
}

type ComparisonFields = Pick<Conclusion, 'conclusion' | 'rival' | 'brier'> &
  Readonly<Record<'baseline_brier' | 'base_rate_brier' | 'difference' | 'base_rate_difference', number | null>> &
  Readonly<Record<'interval' | 'base_rate_interval', readonly number[] | null>>;

/** `+0.0050 (99 % interval +0.0036 to +0.0064)`. */
export const againstText = ({ difference, interval }: Against): string => intervalText(difference, interval, 99);

/** What a score says, in a sentence; undefined without an outcome. */
export const concludeSentence = ({ conclusion, rival, against }: Conclusion): string | undefined =>
  rival === null ? undefined : concludedSentence(conclusion, rival, `Brier score lower by ${againstText(against[rival]!)}`);
