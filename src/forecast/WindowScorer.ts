import type { Clock } from '../core/Clock.ts';
import { ServiceError } from '../core/ServiceError.ts';
import { FeatureBuilder } from '../features/FeatureBuilder.ts';
import { type WindowMeasures, type WindowRefusal, SEQUENCE_COLUMNS, SEQUENCE_STEPS } from '../features/WindowMeasures.ts';
import { baselineInput, CONTEXT_COLUMNS } from '../features/columns.ts';
import { bucketOf } from '../features/horizonBuckets.ts';
import type { InferenceRow } from '../inference/InferenceHost.ts';
import type { ServedModel } from '../model/ModelManifest.ts';
import type { NetworkOutput } from '../model/NetworkWeights.ts';
import type { RuleSet } from '../rules/RuleSet.ts';
import { decideByRules, evaluateRules, type RuleEvaluation } from '../rules/evaluateRules.ts';
import type { TickRequest } from '../ticks/parseTickRequest.ts';
import { decisionThreshold, decisionReasons, untrainedReasons, vetoReasons, type Reason } from './nullReasons.ts';

/** The result for one threshold. Logits are log-odds; `total` is the sum baseline + network + rules, in this order. */
export type WindowScore = {
  /** Log price. */
  readonly theta: number;
  readonly logit: { readonly baseline: number; readonly network: number; readonly rules: number; readonly total: number };
  readonly probability: number;
  readonly decision: number | null;
  readonly probabilityUp: number;
  readonly rules: RuleEvaluation;
  /** Empty: an opportunity is identified. */
  readonly reasons: readonly Reason[];
  readonly networkMs: number;
  readonly rulesMs: number;
  readonly featuresMs: number;
};

/** A result without its explanation: the parts that decide a mark, and the timings. */
export type ScoreSummary = Pick<WindowScore, 'theta' | 'probability' | 'decision' | 'featuresMs' | 'networkMs' | 'rulesMs'> & {
  readonly reasons: readonly Pick<Reason, 'code'>[];
};

export type ScoringInput = {
  readonly slot: WindowSlot;
  readonly clock: Clock;
  readonly model: Pick<ServedModel, 'id' | 'manifest'>;
  readonly request: TickRequest;
  /** Log price; null: the default of the window. */
  readonly theta: number | null;
};

/**
 * Log-odds of a probability of 1 - 1e-6. The baseline is linear in ln(theta): far below the trained thresholds it would give a probability
 * of exactly 1. No version is tested on enough windows to support more than this bound, and trained thresholds stay far below it.
 */
const MAX_BASELINE_LOGIT = Math.log(999_999);

/** Scores one window: features, then rules, then the output of the network. */
export class WindowScorer {
  /** Input of the network. Its arrays belong to the slot: use them before the slot reads another window. */
  readonly row: InferenceRow;
  readonly #model: ScoringInput['model'];
  readonly #clock: Clock;
  readonly #measures: WindowMeasures;
  readonly #theta: number;
  readonly #featuresMs: number;
  /** ln(theta / theta*) */
  readonly #logThetaRatio: number;
  #rules: RuleEvaluation = { rules: [], levels: [], total: 0, vetoedBy: [] };
  #untrained: readonly Reason[] = [];
  #rulesMs = 0;

  private constructor({ model, clock }: ScoringInput, measures: WindowMeasures, theta: number, row: InferenceRow, startMs: number) {
    this.row = row;
    this.#model = model;
    this.#clock = clock;
    this.#measures = measures;
    this.#theta = theta;
    this.#logThetaRatio = Math.log(theta / measures.thetaDefault);
    this.#featuresMs = clock.monotonicMs() - startMs;
  }

  /** Computes the features; returns the refusal of a window without features. */
  static begin(judged: ScoringInput): WindowScorer | WindowRefusal {
    const { slot, clock, request } = judged;
    const startMs = clock.monotonicMs();
    const measures = slot.read(request);
    if (typeof measures === 'string') return measures;
    const theta = judged.theta ?? measures.thetaDefault;
    const refusal = slot.write(theta);
    if (refusal !== null) return refusal;
    const baseline = baselineInput(measures, theta);
    if (!Number.isFinite(baseline)) return 'feature_not_finite';
    const row = { sequence: slot.sequence, context: slot.context, baseline, head: bucketOf(measures.horizonS) };
    return new WindowScorer(judged, measures, theta, row, startMs);
  }

  /** Call it before the slot reads another window. `wantsTrace`: evaluates every rule, not only those that decide. */
  applyRules(ruleSet: RuleSet, wantsTrace: boolean): void {
    const startMs = this.#clock.monotonicMs();
    const facts = { measures: this.#measures, theta: this.#theta, bucket: this.row.head };
    this.#rules = (wantsTrace ? evaluateRules : decideByRules)(ruleSet, facts);
    this.#untrained = untrainedReasons(this.#model.manifest.trained, this.#measures, this.#logThetaRatio);
    this.#rulesMs = this.#clock.monotonicMs() - startMs;
  }

  /** Throws ServiceError `inference.failed` if the network output is not finite, or is of a head that the version does not have. */
  conclude(output: NetworkOutput, networkMs: number): WindowScore {
    const { id, manifest } = this.#model;
    const head = manifest.heads[output.head];
    if (head === undefined) throw new ServiceError('inference.failed', `model ${id} has no head ${output.head}`);
    const { slope, intercept } = head.calibration;
    const rules = this.#rules;
    const unbounded = slope * output.baselineLogit + intercept;
    const network = slope * output.residualLogit;
    if (!Number.isFinite(unbounded + network + rules.total))
      throw new ServiceError('inference.failed', `model ${id} returned a logit that is not finite`);
    const baseline = Math.max(-MAX_BASELINE_LOGIT, Math.min(MAX_BASELINE_LOGIT, unbounded));
    const logit = { baseline, network, rules: rules.total };
    const total = logit.baseline + logit.network + logit.rules;
    const probability = sigmoid(total);
    const decision = decisionThreshold(head, this.#logThetaRatio);
    return {
      theta: this.#theta,
      logit: { ...logit, total },
      probability,
      decision,
      probabilityUp: sigmoid(output.directionLogit),
      rules,
      reasons: [...vetoReasons(rules), ...this.#untrained, ...decisionReasons(probability, decision, head.name)],
      featuresMs: this.#featuresMs,
      networkMs,
      rulesMs: this.#rulesMs,
    };
  }
}

function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/**
 * The only feature workspace, used by one request at a time. Requests interleave at every `await`: a request that finds the window of
 * another one reads its own window again.
 */
export class WindowSlot {
  readonly sequence = new Float32Array(SEQUENCE_STEPS * SEQUENCE_COLUMNS);
  readonly context = new Float32Array(CONTEXT_COLUMNS);
  readonly #builder = new FeatureBuilder();
  #owner: TickRequest | null = null;
  #measures: WindowMeasures | WindowRefusal = 'feature_not_finite';
  /** Threshold of the values in `sequence` and `context`; 0: they are not of this window. */
  #theta = 0;

  /** Measures of the request's window, valid until the next `await`. */
  read(request: TickRequest): WindowMeasures | WindowRefusal {
    if (this.#owner !== request) {
      this.#owner = null;
      this.#theta = 0;
      const { timesUs } = request.series;
      this.#measures = this.#builder.read(request.series, 0, timesUs.length, request.futureUs);
      this.#owner = request;
    }
    return this.#measures;
  }

  /** Fills `sequence` and `context` for the window of the last `read`; theta in log price. */
  write(theta: number): WindowRefusal | null {
    const refusal = this.#builder.write(theta, this.sequence, 0, this.context, 0);
    this.#theta = refusal === null ? theta : 0;
    return refusal;
  }

  /** The context columns at the default threshold of the window, valid until the next `await`; null: the window has none. */
  ownContext(request: TickRequest): Float32Array | null {
    const measures = this.read(request);
    if (typeof measures === 'string') return null;
    if (this.#theta !== measures.thetaDefault && this.write(measures.thetaDefault) !== null) return null;
    return this.context;
  }
}
