import type { ForecastDetail } from '../../contract/forecastDetail.ts';
import { NULL_REASONS, type NullReason, type InputNote } from '../../contract/reasons.ts';
import { roundTo } from '../../core/roundTo.ts';
import { BPS_PER_UNIT, MS_PER_SECOND, US_PER_MS } from '../../core/units.ts';
import type { WindowFacts, WindowMeasures, WindowRefusal } from '../features/WindowMeasures.ts';
import { BAR_PERIODS_MS, type BarModel, LEAST_BAR_PERIODS, MOST_BAR_HORIZON_MS } from '../model/BarModel.ts';
import type { ModelManifest } from '../model/ModelManifest.ts';
import type { RuleEvaluation } from '../rules/evaluateRules.ts';
import { FEW_DISTINCT_TICKS } from '../rules/predicates/grading.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';

type ToldReason = ForecastDetail['reasons'][number];

/** The text is created on demand, because most answers do not contain it. */
export type Reason = Omit<ToldReason, 'text'> & { text(): string };

/** What decides whether a threshold is marked. */
export type Decision = {
  readonly probability: number;
  /** Smallest probability that is marked; null: the head abstains, or it is unknown. */
  readonly cut: number | null;
  /** The smallest probability that the caller wants marked; unknown: too few forecasts of the series are known; undefined: that of the head. */
  readonly wantedCut: number | 'unknown' | undefined;
};

const reason = (code: NullReason, text: () => string): Reason => ({ code, text });
export const publicReason = ({ text, ...rest }: Reason): ToldReason => ({ ...rest, text: text() });
/** To the millisecond: rounded to three digits, three days are 259000 s. */
const seconds = (value: number): string => String(Number(value.toFixed(3)));
const short = (value: number): string => String(roundTo(value, 3));

export function refusalReason(refusal: WindowRefusal): Reason {
  return reason(refusal, () => NULL_REASONS[refusal]);
}

/** Of bars that the version cannot read. */
export function barRefusal(bars: BarModel | undefined, periodMs: number): Reason {
  const [fromMs, toMs] = BAR_PERIODS_MS;
  const nearestMs = Math.min(toMs, Math.max(fromMs, periodMs));
  return reason('density_untrained', () =>
    bars === undefined
      ? 'the version cannot read bars: send ticks, or choose another version'
      : `bars of ${seconds(periodMs / MS_PER_SECOND)} s are outside ${fromMs / MS_PER_SECOND} to ${toMs / MS_PER_SECOND} s; the nearest period that works is ${nearestMs / MS_PER_SECOND} s`,
  );
}

/** As `untrainedReasons`, for bars. `isMarkedBelow`: the lowest trained threshold has a mark, which holds below it. */
export function barReasons(
  { logThetaRatio: trained }: BarModel,
  {
    periodMs,
    horizonMs,
    logThetaRatio,
    isMarkedBelow,
  }: { readonly periodMs: number; readonly horizonMs: number; readonly logThetaRatio: number; readonly isMarkedBelow: boolean },
): Reason[] {
  const reasons: Reason[] = [];
  const leastMs = LEAST_BAR_PERIODS * periodMs;
  if (!isWithin(horizonMs, leastMs, MOST_BAR_HORIZON_MS))
    reasons.push(
      reason(
        'horizon_untrained',
        () =>
          `the horizon of ${seconds(horizonMs / MS_PER_SECOND)} s is outside ${seconds(leastMs / MS_PER_SECOND)} s (${LEAST_BAR_PERIODS} bars) to ${MOST_BAR_HORIZON_MS / MS_PER_SECOND} s`,
      ),
    );
  if (!isWithin(logThetaRatio, ...trained) && !(logThetaRatio < trained[0] && isMarkedBelow))
    reasons.push(thresholdReason(trained, logThetaRatio));
  return reasons;
}

/** Reasons for values outside the ranges that the model declares (bounds inclusive). `logThetaRatio` = ln(theta / theta*). */
export function untrainedReasons(trained: ModelManifest['trained'], measures: WindowMeasures, logThetaRatio: number): Reason[] {
  const reasons: Reason[] = [];
  const { horizonS, windowS, medianGapS } = measures;
  const [fromS, toS] = trained.horizonS;
  const [fromHorizonRatio, toHorizonRatio] = trained.horizonToWindow;
  const [fromGapS, toGapS] = trained.medianGapS;
  const horizonRatio = horizonS / windowS;
  if (!isWithin(horizonS, fromS, toS))
    reasons.push(
      reason('horizon_untrained', () => `the horizon of ${seconds(horizonS)} s is outside ${seconds(fromS)} to ${seconds(toS)} s`),
    );
  else if (!isWithin(horizonRatio, fromHorizonRatio, toHorizonRatio))
    reasons.push(
      reason(
        'horizon_untrained',
        () =>
          `the horizon is ${short(horizonRatio)} times the window's duration, outside ${short(fromHorizonRatio)} to ${short(toHorizonRatio)}`,
      ),
    );
  if (!isWithin(medianGapS, fromGapS, toGapS))
    reasons.push(
      reason(
        'density_untrained',
        () => `the median gap of ${short(medianGapS)} s between ticks is outside ${short(fromGapS)} to ${short(toGapS)} s`,
      ),
    );
  if (!isWithin(logThetaRatio, ...trained.logThetaRatio)) reasons.push(thresholdReason(trained.logThetaRatio, logThetaRatio));
  return reasons;
}

function thresholdReason([from, to]: readonly [number, number], logThetaRatio: number): Reason {
  return reason(
    'threshold_untrained',
    () =>
      `the threshold is ${short(Math.exp(logThetaRatio))} times the default one, outside ${short(Math.exp(from))} to ${short(Math.exp(to))} times; the probability is ${logThetaRatio < from ? 'a continuation of those of the lowest trained thresholds' : 'that of the highest trained threshold'}`,
  );
}

/** NaN is outside. */
function isWithin(value: number, from: number, to: number): boolean {
  return value >= from && value <= to;
}

export function vetoReasons(rules: RuleEvaluation): Reason[] {
  return rules.rules
    .filter((rule) => rule.fired)
    .map((rule) =>
      rule.kind === 'veto'
        ? { code: 'vetoed_by_rule', rule: rule.id, text: () => `vetoed by ${rule.id}: ${rule.text()}` }
        : { code: 'abstained_by_rule', rule: rule.id, text: () => `${rule.id} cannot be ruled out: ${rule.text()}` },
    );
}

/** Why a probability is not marked. */
export function decisionReasons({ probability, cut, wantedCut }: Decision, head: string): Reason[] {
  if (wantedCut === 'unknown') return [reason('rate_unknown', () => NULL_REASONS.rate_unknown)];
  if (cut === null) return [reason('head_abstains', () => `the head ${head} has no decision threshold that met the precision rule`)];
  if (probability >= cut) return [];
  return [reason('below_threshold', () => `the probability ${short(probability)} is below the decision threshold ${short(cut)}`)];
}

/** Whether a timestamp is no whole millisecond. Without `%` and an iterator, which take ten times as long and an object for each number. */
function hasParts(timesUs: Float64Array): boolean {
  for (let i = 0; i < timesUs.length; i++) if (Math.floor(timesUs[i] / US_PER_MS) * US_PER_MS !== timesUs[i]) return true;
  return false;
}

/** What was received and how it was read. A refused window has no measures: its numbers are null. `moveBps`: the threshold of the answer. */
export function describeInput(
  request: TickRequest,
  measures: WindowFacts | WindowRefusal,
  isSynthetic: boolean,
  moveBps: number | null,
): ForecastDetail['input'] {
  const { timesUs } = request.series;
  const spreadBps = request.spreadBps?.();
  const period = request.bars === undefined ? {} : { bar_period_ms: request.bars.periodMs };
  const notes: InputNote[] = [];
  if (hasParts(timesUs)) notes.push('sub_ms_cut');
  if (request.isCrossed?.() === true) notes.push('crossed_quotes');
  if (isSynthetic) notes.push('model_is_synthetic');
  if (typeof measures === 'string')
    return {
      ticks: timesUs.length,
      distinct_ticks: null,
      median_gap_ms: null,
      ...period,
      cost_bps: spreadBps ?? null,
      volatility_bps_per_sqrt_s: null,
      notes,
    };
  if (measures.ticksBeforeGap > 0) notes.push('session_gap_cut');
  if (measures.distinctTicks < measures.ticks - measures.ticksBeforeGap) notes.push('equal_stamps');
  if (measures.distinctTicks < FEW_DISTINCT_TICKS) notes.push('few_distinct_ticks');
  // Moves between closes say nothing of the spread.
  const estimatedBps = request.bars === undefined ? measures.cost * BPS_PER_UNIT : null;
  if (spreadBps === undefined && estimatedBps !== null) notes.push('cost_from_prices_alone');
  if (spreadBps !== undefined && moveBps !== null && moveBps < spreadBps) notes.push('threshold_below_cost');
  return {
    ticks: timesUs.length,
    distinct_ticks: measures.distinctTicks,
    median_gap_ms: measures.medianGapS * MS_PER_SECOND,
    ...period,
    cost_bps: spreadBps ?? estimatedBps,
    volatility_bps_per_sqrt_s: measures.sigmas[2] * BPS_PER_UNIT,
    notes,
  };
}
