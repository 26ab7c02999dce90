import type { Clock } from '../../core/Clock.ts';
import { ServiceError } from '../../core/ServiceError.ts';
import type { FeatureBuilder } from '../features/FeatureBuilder.ts';
import { type WindowFacts, type WindowMeasures, type WindowRefusal, SEQUENCE_COLUMNS, SEQUENCE_STEPS } from '../features/WindowMeasures.ts';
import { baselineInput, CONTEXT_COLUMN_NAMES, CONTEXT_COLUMNS } from '../features/columns.ts';
import { bucketOf } from '../features/horizonBuckets.ts';
import type { InferenceRow } from '../inference/InferenceHost.ts';
import type { HeadManifest, ServedModel } from '../model/ModelManifest.ts';
import type { MarketAbsence, MarketPoint } from '../model/MarketModel.ts';
import type { NetworkOutput } from '../model/NetworkWeights.ts';
import type { RuleSet } from '../rules/RuleSet.ts';
import { decideByRules, evaluateRules, type RuleEvaluation } from '../rules/evaluateRules.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import { clockReason, decisionReasons, rateReason, untrainedReasons, vetoReasons, type Reason } from './nullReasons.ts';
import { sigmoid } from './logOdds.ts';
import { knotsTowards, ThresholdCurve } from './thresholdCurve.ts';

/** The smallest probability that is marked; null: that of the head; unknown: too few forecasts of the series are known. */
export type WantedCut = number | 'unknown' | null;

/** The result for one threshold. Logits are log-odds; `total` is the sum baseline + network + clock + rules, in this order. */
export type WindowScore = {
  /** Log price. */
  readonly theta: number;
  readonly logit: {
    readonly baseline: number;
    readonly network: number;
    /** Only if the market of the version was used. */
    readonly clock?: number;
    readonly rules: number;
    readonly total: number;
  };
  readonly probability: number;
  /** Smallest probability that is marked; null: the head abstains, or it is unknown. */
  readonly cut: number | null;
  /** As in the input. */
  readonly minProbability: WantedCut;
  readonly probabilityUp: number;
  readonly rules: RuleEvaluation;
  readonly medianGapS: number;
  /** Log-odds from the default threshold to `theta`. */
  readonly curve: ThresholdCurve;
  /** Empty: an opportunity is identified. */
  readonly reasons: readonly Reason[];
  /** What the market of the version could not use. */
  readonly notes: readonly ('market_stale' | 'closes_not_used')[];
  readonly networkMs: number;
  readonly rulesMs: number;
  readonly featuresMs: number;
};

/** A result without its explanation: the parts that decide a mark, and the timings. */
export type ScoreSummary = Pick<
  WindowScore,
  'theta' | 'probability' | 'cut' | 'minProbability' | 'featuresMs' | 'networkMs' | 'rulesMs'
> & {
  readonly reasons: readonly Pick<Reason, 'code'>[];
};

/** A window and its result. */
export type ScoredWindow = {
  /** The refusal of a window without features. */
  readonly window: WindowFacts | WindowRefusal;
  /** Context columns at the default threshold; null: they were not computed. */
  readonly context: Float32Array | null;
  readonly score: WindowScore | WindowRefusal;
};

export type ScoringInput = {
  /** Works on one window at a time: it is used only until the first `await`. */
  readonly features: FeatureBuilder;
  readonly clock: Clock;
  readonly model: Pick<ServedModel, 'id' | 'manifest' | 'market'>;
  readonly request: TickRequest;
  /** Log price; null: the default of the window. */
  readonly theta: number | null;
  readonly minProbability: WantedCut;
  /** The time of day is not used, even if the version has learned it. */
  readonly clockOff: boolean;
};

/**
 * Log-odds of a probability of 1 - 1e-6. The baseline is linear in ln(theta): far below the trained thresholds it would give a probability
 * of exactly 1. No version is tested on enough windows to support more than this bound, and trained thresholds stay far below it.
 */
const MAX_BASELINE_LOGIT = Math.log(999_999);

/** A window tells how often the price stands still for a horizon if it is at least so many horizons long. */
const KNOWN_HORIZONS = 5;
const NO_MOVE_SHARE = CONTEXT_COLUMN_NAMES.indexOf('no_move_share');

/**
 * Scores one window: features, then rules, then the outputs of the network. The default threshold takes one row of the network, another
 * one takes a row for each knot between the default and it (docs/adr/0054).
 */
export class WindowScorer {
  readonly #input: ScoringInput;
  readonly #measures: WindowMeasures;
  readonly #theta: number;
  readonly #head: HeadManifest;
  readonly #bucket: number;
  /** ln(theta / theta*) */
  readonly #logThetaRatio: number;
  /** ln(theta / theta*) of each row. */
  readonly #knots: readonly number[];
  /** The market of the version at the origin; null: the base answers. */
  readonly #market: MarketPoint | null;
  readonly #marketAbsence: MarketAbsence | null;
  #context: Float32Array | null = null;
  #rules: RuleEvaluation = { rules: [], levels: [], total: 0, vetoedBy: [] };
  /** Sum of the rules at each knot. */
  #ruleTotals: readonly number[] = [];
  #featuresMs: number;
  #rulesMs = 0;
  /** Fraction of past horizons in which the price moved; 1 if it is not known. */
  #moving = 1;

  private constructor(input: ScoringInput, measures: WindowMeasures, head: HeadManifest, bucket: number, startMs: number) {
    this.#input = input;
    this.#measures = measures;
    this.#theta = input.theta ?? measures.thetaDefault;
    this.#head = head;
    this.#bucket = bucket;
    this.#logThetaRatio = Math.log(this.#theta / measures.thetaDefault);
    const market = marketAt(input, measures, bucket);
    this.#market = typeof market === 'string' ? null : market;
    this.#marketAbsence = typeof market === 'string' ? market : null;
    this.#knots = knotsTowards(input.model.manifest.trained.logThetaRatio, this.#logThetaRatio);
    this.#featuresMs = input.clock.monotonicMs() - startMs;
  }

  /** Measures the window; returns the refusal of a window without features. Throws ServiceError `inference.failed` for a missing head. */
  static begin(input: ScoringInput): WindowScorer | WindowRefusal {
    const { features, clock, request, model } = input;
    const startMs = clock.monotonicMs();
    const measures = features.read(request.series, 0, request.series.timesUs.length, request.futureUs);
    if (typeof measures === 'string') return measures;
    const bucket = bucketOf(measures.horizonS);
    const head = model.manifest.heads[bucket];
    if (head === undefined) throw new ServiceError('inference.failed', `model ${model.id} has no head ${bucket}`);
    return new WindowScorer(input, measures, head, bucket, startMs);
  }

  /** Number of rows that the network must compute. */
  get rows(): number {
    return this.#knots.length;
  }

  /** The window with its result. */
  scored(score: ScoredWindow['score']): ScoredWindow {
    return { window: this.#measures, context: this.#context, score };
  }

  /** Input of the network at a knot. */
  row(at: number): InferenceRow | WindowRefusal {
    const { features, clock } = this.#input;
    const startMs = clock.monotonicMs();
    const theta = this.#thetaAt(at);
    const sequence = new Float32Array(SEQUENCE_STEPS * SEQUENCE_COLUMNS);
    const context = new Float32Array(CONTEXT_COLUMNS);
    const refusal = features.write(theta, sequence, 0, context, 0);
    if (refusal !== null) return refusal;
    const baseline = baselineInput(this.#measures, theta);
    if (!Number.isFinite(baseline)) return 'feature_not_finite';
    if (theta === this.#measures.thetaDefault) this.#context = context;
    const { windowS, horizonS } = this.#measures;
    if (windowS >= KNOWN_HORIZONS * horizonS) this.#moving = 1 - context[NO_MOVE_SHARE]!;
    this.#featuresMs += clock.monotonicMs() - startMs;
    return { sequence, context, baseline, head: this.#bucket };
  }

  /** Call it before another window is read. `wantsTrace`: evaluates every rule, not only those that decide. */
  applyRules(ruleSet: RuleSet, wantsTrace: boolean): void {
    const startMs = this.#input.clock.monotonicMs();
    const facts = { measures: this.#measures, theta: this.#theta, bucket: this.#bucket };
    this.#rules = (wantsTrace ? evaluateRules : decideByRules)(ruleSet, facts);
    this.#ruleTotals = this.#knots.map((_, at) => {
      const theta = this.#thetaAt(at);
      return theta === this.#theta ? this.#rules.total : decideByRules(ruleSet, { ...facts, theta }).total;
    });
    this.#rulesMs = this.#input.clock.monotonicMs() - startMs;
  }

  /** `outputs`: one for each row. Throws ServiceError `inference.failed` if an output of the network is not finite. */
  conclude(outputs: readonly NetworkOutput[], networkMs: number): WindowScore {
    const raw = outputs.map(({ baselineLogit }) => this.#head.calibration.slope * baselineLogit + this.#head.calibration.intercept);
    const baselines = raw.map(bounded);
    const networks = outputs.map(({ residualLogit }) => this.#head.calibration.slope * residualLogit);
    const clocks = baselines.map((baseline, at) => this.#clock(baseline + (networks[at] as number), this.#thetaAt(at)));
    const totals = baselines.map(
      (baseline, at) => baseline + (networks[at] as number) + (clocks[at] as number) + (this.#ruleTotals[at] as number),
    );
    if (!totals.every(Number.isFinite))
      throw new ServiceError('inference.failed', `model ${this.#input.model.id} returned a logit that is not finite`);
    const curve = new ThresholdCurve(this.#knots, totals, this.#moving);
    const total = curve.at(this.#logThetaRatio);
    const isDefault = totals.length === 1;
    const baseline = isDefault ? (baselines[0] as number) : bounded(this.#baselineAt(raw));
    const clock = curve.valueAt(clocks, this.#logThetaRatio);
    const network = isDefault ? (networks[0] as number) : total - baseline - clock - this.#rules.total;
    const probability = sigmoid(total);
    const { minProbability } = this.#input;
    const cut = minProbability === 'unknown' ? null : (minProbability ?? (this.#market ?? this.#head).cut);
    return {
      theta: this.#theta,
      logit: { baseline, network, ...(this.#market === null ? {} : { clock }), rules: this.#rules.total, total },
      probability,
      cut,
      minProbability,
      probabilityUp: sigmoid((outputs[0] as NetworkOutput).directionLogit),
      rules: this.#rules,
      medianGapS: this.#measures.medianGapS,
      curve,
      notes: [
        ...(this.#marketAbsence === 'market_stale' ? (['market_stale'] as const) : []),
        ...(this.#input.request.closes === undefined || this.#market?.usesRecent === true ? [] : (['closes_not_used'] as const)),
      ],
      reasons: this.#reasons(probability, cut, curve.end),
      featuresMs: this.#featuresMs,
      networkMs,
      rulesMs: this.#rulesMs,
    };
  }

  /** What the market adds to the log-odds of the base. */
  #clock(base: number, theta: number): number {
    return this.#market === null ? 0 : this.#market.logit(base, Math.log(theta)) - base;
  }

  /** The baseline is a line in ln(theta), with the slope of the head, or else that of the network. `raw`: its log-odds at each knot. */
  #baselineAt(raw: readonly number[]): number {
    const [first, last] = [this.#knots[0] as number, this.#knots.at(-1) as number];
    const [start, end] = [raw[0] as number, raw.at(-1) as number];
    const slope = this.#head.thresholdSlope ?? (start - end) / (last - first);
    return start - slope * (this.#logThetaRatio - first);
  }

  /** `nearest`: log-odds at the trained threshold nearest to that of the answer. */
  #reasons(probability: number, cut: number | null, nearest: number): Reason[] {
    const { trained } = this.#input.model.manifest;
    // A move above the lowest trained threshold is also above a lower one: the mark holds.
    const holdsBelow = cut !== null && this.#logThetaRatio < trained.logThetaRatio[0] && sigmoid(nearest) >= cut;
    const untrained = untrainedReasons(trained, this.#measures, this.#logThetaRatio).filter(
      ({ code }) => !(code === 'threshold_untrained' && holdsBelow),
    );
    const mismatch = this.#marketAbsence === 'clock_mismatch' ? [clockReason()] : [];
    return [
      ...vetoReasons(this.#rules),
      ...mismatch,
      ...untrained,
      ...(cut !== null && probability >= cut
        ? []
        : this.#input.minProbability === 'unknown'
          ? [rateReason()]
          : decisionReasons(probability, cut, this.#head.name)),
    ];
  }

  /** theta of a knot, log price. */
  #thetaAt(at: number): number {
    const { thetaDefault } = this.#measures;
    const logRatio = this.#knots[at] as number;
    return logRatio === 0 ? thetaDefault : thetaDefault * Math.exp(logRatio);
  }
}

/** The market of the version at the origin of the window; null: it has none, or the caller does not want it. */
function marketAt(
  { model, request, clockOff }: ScoringInput,
  { windowS, horizonS }: WindowMeasures,
  bucket: number,
): MarketPoint | MarketAbsence | null {
  if (clockOff || model.market === undefined) return null;
  const { timesUs } = request.series;
  const recent = request.closes === undefined ? null : model.market.levelOf(request.closes, timesUs[0] as number);
  return model.market.at(timesUs.at(-1) as number, windowS, horizonS, bucket, recent);
}

/** A logit that is not finite stays so. */
function bounded(logit: number): number {
  return Number.isFinite(logit) ? Math.max(-MAX_BASELINE_LOGIT, Math.min(MAX_BASELINE_LOGIT, logit)) : logit;
}
