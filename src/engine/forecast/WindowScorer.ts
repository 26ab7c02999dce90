import { ServiceError } from '../../core/ServiceError.ts';
import type { WindowMeasures, WindowRefusal } from '../features/WindowMeasures.ts';
import { baselineInput, CONTEXT_COLUMN_NAMES, CONTEXT_COLUMNS } from '../features/columns.ts';
import { bucketOf } from '../features/horizonBuckets.ts';
import type { InferenceRow } from '../inference/InferenceHost.ts';
import { memoryInputs, type MemoryReading } from '../memory/memoryInputs.ts';
import { memoryAnswer, rememberedOf } from '../memory/memoryLine.ts';
import type { HeadManifest } from '../model/ModelManifest.ts';
import type { NetworkOutput } from '../model/NetworkWeights.ts';
import type { RuleSet } from '../rules/RuleSet.ts';
import { decideByRules, evaluateRules, sumRules, type RuleEvaluation } from '../rules/evaluateRules.ts';
import { decisionReasons, untrainedReasons, vetoReasons, type Decision, type Reason } from './nullReasons.ts';
import { sigmoid } from '../scoring/logOdds.ts';
import { memoryAt, type MemoryAbsence, type MemoryAtOrigin } from './memoryAt.ts';
import { outlookOf, outlookToRemember, wantsOutlook } from './outlook.ts';
import { knotsTowards, ThresholdCurve } from './thresholdCurve.ts';
import { cutOf, type ScoredWindow, type ScoringInput, type WindowScore } from './WindowScore.ts';

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
 * one takes a row for each knot between the default and it (docs/adr/0054); the rows of a window share its sequence, so more of them cost
 * little, and those of both sides come in one pass.
 */
export class WindowScorer {
  readonly #input: ScoringInput;
  readonly #measures: WindowMeasures;
  readonly #theta: number;
  readonly #head: HeadManifest;
  readonly #bucket: number;
  /** ln(theta / theta*) */
  readonly #logThetaRatio: number;
  /** ln(theta / theta*) of each row that the answer needs. */
  readonly #knots: readonly number[];
  /** Knots from the default threshold to both ends of the trained range; empty if they are not wanted. */
  #sides: readonly (readonly number[])[] = [];
  /** ln(theta / theta*) of each row: first those of the answer, then those of the sides. */
  #rows: readonly number[];
  #taken = 0;
  readonly #memory: MemoryAtOrigin | null;
  readonly #memoryAbsence: MemoryAbsence | null;
  #context: Float32Array | null = null;
  #rules: RuleEvaluation = { rules: [], levels: [], total: 0, vetoedBy: [] };
  /** Sum of the rules for each row. */
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
    const memory = memoryAt(input.model, input.request, input.memory);
    this.#memory = typeof memory === 'string' ? null : memory;
    this.#memoryAbsence = typeof memory === 'string' ? memory : null;
    this.#rows = this.#knots = knotsTowards(input.model.manifest.trained.logThetaRatio, this.#logThetaRatio);
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

  /** The window with its result. */
  scored(score: ScoredWindow['score']): ScoredWindow {
    return { window: this.#measures, context: this.#context, score };
  }

  /**
   * Inputs of the network for the rows that were not taken yet, with a refusal in place of one that cannot be computed: first those of the
   * answer, then those that `applyRules` has added, which the answer does not need.
   */
  takeRows(): readonly (InferenceRow | WindowRefusal)[] {
    const startMs = this.#input.clock.monotonicMs();
    const from = this.#taken;
    const count = this.#rows.length - from;
    this.#taken = this.#rows.length;
    // One for all: each larger array is memory outside of the heap.
    const contexts = new Float32Array(count * CONTEXT_COLUMNS);
    const rows = Array.from({ length: count }, (_, i) =>
      this.#row(this.#thetaAt(from + i), count === 1 ? contexts : contexts.subarray(i * CONTEXT_COLUMNS, (i + 1) * CONTEXT_COLUMNS)),
    );
    this.#featuresMs += this.#input.clock.monotonicMs() - startMs;
    return rows;
  }

  #row(theta: number, context: Float32Array): InferenceRow | WindowRefusal {
    const { features } = this.#input;
    const refusal = features.writeContext(theta, context, 0);
    if (refusal !== null) return refusal;
    const baseline = baselineInput(this.#measures, theta);
    if (!Number.isFinite(baseline)) return 'feature_not_finite';
    if (theta === this.#measures.thetaDefault) this.#context = context;
    const { windowS, horizonS } = this.#measures;
    if (windowS >= KNOWN_HORIZONS * horizonS) this.#moving = 1 - context[NO_MOVE_SHARE];
    return { sequence: features.sequence, context, baseline, head: this.#bucket };
  }

  /**
   * Call it before another window is read. `wantsTrace`: evaluates every rule, not only those that decide. `wantsSides`: adds the rows of the
   * curves to both ends of the trained range, if another threshold can change the answer.
   */
  applyRules(ruleSet: RuleSet, wantsTrace: boolean, wantsSides: boolean): void {
    const startMs = this.#input.clock.monotonicMs();
    const facts = { measures: this.#measures, theta: this.#theta, bucket: this.#bucket };
    this.#rules = (wantsTrace ? evaluateRules : decideByRules)(ruleSet, facts);
    if (wantsOutlook(this.#input.options) || (wantsSides && this.#canTurn())) {
      const range = this.#input.model.manifest.trained.logThetaRatio;
      this.#sides = range.map((end) => knotsTowards(range, end));
      this.#rows = [...new Set([this.#knots, ...this.#sides].flat())];
    }
    this.#ruleTotals = this.#rows.map((_, at) => {
      const theta = this.#thetaAt(at);
      return theta === this.#theta ? this.#rules.total : sumRules(ruleSet, { ...facts, theta });
    });
    this.#rulesMs = this.#input.clock.monotonicMs() - startMs;
  }

  /** `outputs`: one for each row, null for a refused one. Throws ServiceError `inference.failed` if an output of the network is not finite. */
  conclude(outputs: readonly (NetworkOutput | null)[], networkMs: number): WindowScore {
    const { slope, intercept } = this.#head.calibration;
    const raw = outputs.map((output) => slope * (output?.baselineLogit ?? 0) + intercept);
    const baselines = raw.map(bounded);
    const networks = outputs.map((output) => slope * (output?.residualLogit ?? 0));
    const memories = this.#memory === null ? null : this.#memoryParts(this.#memory, baselines, networks);
    const totals = baselines.map((baseline, at) => baseline + networks[at] + (memories === null ? 0 : memories[at]) + this.#ruleTotals[at]);
    if (!totals.every(Number.isFinite))
      throw new ServiceError('inference.failed', `model ${this.#input.model.id} returned a logit that is not finite`);
    const curveOf = (knots: readonly number[]): ThresholdCurve =>
      new ThresholdCurve(
        knots,
        knots.map((knot) => totals[this.#rows.indexOf(knot)] as number),
        this.#moving,
      );
    const sides = this.#sides.map((knots) => (knots.every((knot) => outputs[this.#rows.indexOf(knot)] !== null) ? curveOf(knots) : null));
    const curve = curveOf(this.#knots);
    const total = curve.at(this.#logThetaRatio);
    const isDefault = this.#knots.length === 1;
    const baseline = isDefault ? baselines[0] : bounded(this.#baselineAt(raw));
    const memory = memories === null ? 0 : curve.valueAt(memories, this.#logThetaRatio);
    const network = isDefault ? networks[0] : total - baseline - memory - this.#rules.total;
    const base = baseline + network;
    const reading = this.#memory && this.#read(this.#memory, base, this.#theta);
    const own = reading && this.#memory && memoryAnswer(this.#memory.line, this.#memory.view.own, reading, base).own;
    const probability = sigmoid(total);
    const decision = { probability, ...this.#decision };
    const reasons = this.#reasons(decision, curve.end);
    const found: WindowScore['sides'] = [sides[0] ?? null, sides[1] ?? null];
    const window = {
      sides: found,
      thetaDefault: this.#measures.thetaDefault,
      lastPrice: this.#lastPrice,
      outcomes: this.#memory?.view.ranges,
      touches: this.#memory?.view.touches,
      facts: {
        horizonS: this.#measures.horizonS,
        gapS: this.#measures.medianGapS,
        noise: this.#measures.cost,
        sigma: this.#measures.sigmaHorizon,
      },
      spreadBps: this.#input.options.touch && this.#input.request.spreadsBps?.().at(-1),
    };
    return {
      theta: this.#theta,
      logit: {
        baseline,
        network,
        ...(memories === null ? {} : { memory }),
        rules: this.#rules.total,
        total,
      },
      ...decision,
      probabilityUp: sigmoid((outputs[0] as NetworkOutput).directionLogit),
      rules: this.#rules,
      medianGapS: this.#measures.medianGapS,
      curve,
      sides: found,
      memory: reading ?? this.#memoryAbsence,
      own: own && { weights: this.#memory!.view.own!, part: own.part },
      remembered:
        reading &&
        this.#memory &&
        rememberedOf(
          { theta: this.#theta, base, version: this.#memory.version },
          reading,
          own,
          outlookToRemember(window, this.#input.options),
        ),
      outlook: wantsOutlook(this.#input.options) ? outlookOf(window, this.#input.options, reasons) : null,
      reasons,
      featuresMs: this.#featuresMs,
      networkMs,
      rulesMs: this.#rulesMs,
    };
  }

  get #lastPrice(): number {
    return this.#input.request.series.prices.at(-1) as number;
  }

  /** Whether nothing but the probability and the threshold can speak against a mark. */
  #canTurn(): boolean {
    const { trained } = this.#input.model.manifest;
    const untrained = untrainedReasons(trained, this.#measures, this.#logThetaRatio);
    return (
      this.#decision.cut !== null && this.#rules.vetoedBy.length === 0 && untrained.every(({ code }) => code === 'threshold_untrained')
    );
  }

  get #decision(): ReturnType<typeof cutOf> {
    return cutOf(this.#input, this.#head.cut);
  }

  /** What the memory of the series adds to the log-odds of the base, for each row. */
  #memoryParts(memory: MemoryAtOrigin, ...parts: readonly (readonly number[])[]): number[] {
    return this.#rows.map((_, at) => {
      const base = parts.reduce((sum, part) => sum + part[at], 0);
      return memoryAnswer(memory.line, memory.view.own, this.#read(memory, base, this.#thetaAt(at)), base).part;
    });
  }

  #read({ view, version }: MemoryAtOrigin, base: number, theta: number): MemoryReading {
    return memoryInputs(view, { theta, sigma: this.#measures.sigmas[2], base, version });
  }

  /** The baseline is a line in ln(theta), with the slope of the head, or else that of the network. `raw`: its log-odds for each row. */
  #baselineAt(raw: readonly number[]): number {
    const [first, last] = [this.#knots[0], this.#knots.at(-1) as number];
    const [start, end] = [raw[0], raw[this.#knots.length - 1]];
    const slope = this.#head.thresholdSlope ?? (start - end) / (last - first);
    return start - slope * (this.#logThetaRatio - first);
  }

  /** `nearest`: log-odds at the trained threshold nearest to that of the answer. */
  #reasons(decision: Decision, nearest: number): Reason[] {
    const { trained } = this.#input.model.manifest;
    const { cut } = decision;
    // A move above the lowest trained threshold is also above a lower one: the mark holds.
    const holdsBelow = cut !== null && this.#logThetaRatio < trained.logThetaRatio[0] && sigmoid(nearest) >= cut;
    const untrained = untrainedReasons(trained, this.#measures, this.#logThetaRatio).filter(
      ({ code }) => !(code === 'threshold_untrained' && holdsBelow),
    );
    return [...vetoReasons(this.#rules), ...untrained, ...decisionReasons(decision, this.#head.name)];
  }

  /** theta of a row, log price. */
  #thetaAt(at: number): number {
    const { thetaDefault } = this.#measures;
    const logRatio = this.#rows[at];
    return logRatio === 0 ? thetaDefault : thetaDefault * Math.exp(logRatio);
  }
}

/** A logit that is not finite stays so. */
function bounded(logit: number): number {
  return Number.isFinite(logit) ? Math.max(-MAX_BASELINE_LOGIT, Math.min(MAX_BASELINE_LOGIT, logit)) : logit;
}
