import type { Asking } from '../batching/Batcher.ts';
import type { Clock } from '../core/Clock.ts';
import { ServiceError } from '../core/ServiceError.ts';
import { baselineInput } from '../features/columns.ts';
import type { WindowRefusal } from '../features/WindowMeasures.ts';
import type { InferenceHost } from '../inference/InferenceHost.ts';
import type { ServedModel } from '../model/ModelManifest.ts';
import { bucketOf } from '../features/horizonBuckets.ts';
import { decideByRules, evaluateRules } from '../rules/evaluateRules.ts';
import type { RuleSet } from '../rules/RuleSet.ts';
import type { RuleEvaluation } from '../rules/RuleTrace.ts';
import type { TickRequest } from '../ticks/parseTickRequest.ts';
import { decisionThreshold } from './decisionThreshold.ts';
import { decisionReasons, untrainedReasons, vetoReasons, type Reason } from './nullReasons.ts';
import type { WindowSlot } from './WindowSlot.ts';

export type JudgeDeps = {
  readonly host: InferenceHost;
  readonly rulesOf: (model: ServedModel) => RuleSet;
  readonly clock: Clock;
  readonly slot: WindowSlot;
};

export type Question = {
  /** Log price; null: the window's own. */
  readonly theta: number | null;
  readonly asking: Asking | undefined;
  /** Whether every rule is to be told, and not only those that decide. */
  readonly wantsTrace: boolean;
};

/** The answer to one threshold. Logits are log-odds; `total` is the sum baseline + network + rules, in this order. */
export type Verdict = {
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

/**
 * Asks the network about one threshold (`null`: the window's own), adds the rules and compares with the decision threshold
 * of its band. Refusals of the window are returned. The rules run while the network does: neither reads the other.
 * Throws ServiceError `inference.failed` where the network's answer is not finite, and whatever the host throws.
 */
export async function judgeThreshold(
  deps: JudgeDeps,
  model: ServedModel,
  request: TickRequest,
  { theta: wantedTheta, asking, wantsTrace }: Question,
): Promise<Verdict | WindowRefusal> {
  const { slot, clock } = deps;
  const startMs = clock.monotonicMs();
  const measures = slot.read(request);
  if (typeof measures === 'string') return measures;
  const theta = wantedTheta ?? measures.thetaDefault;
  const refusal = slot.write(theta);
  if (refusal !== null) return refusal;
  const baseline = baselineInput(measures, theta);
  if (!Number.isFinite(baseline)) return 'feature_not_finite';
  const bucket = bucketOf(measures.horizonS);
  const writtenMs = clock.monotonicMs();
  // The host reads the row before it returns its promise: from here on the slot may change hands.
  const asked = deps.host.infer(model.networkId, { sequence: slot.sequence, context: slot.context, baseline, head: bucket }, asking);
  // Awaited below; marked as handled, so that a failure meanwhile is not reported as lost.
  asked.catch(() => {});
  const handedMs = clock.monotonicMs();
  const rules = (wantsTrace ? evaluateRules : decideByRules)(deps.rulesOf(model), { measures, theta, bucket });
  const logThetaRatio = Math.log(theta / measures.thetaDefault);
  const untrained = untrainedReasons(model.manifest.trained, measures, logThetaRatio);
  const ruledMs = clock.monotonicMs();
  const output = await asked;
  const answeredMs = clock.monotonicMs();
  const head = model.manifest.heads[output.head];
  if (head === undefined) throw new ServiceError('inference.failed', `model ${model.id} has no head ${output.head}`);
  const { slope, intercept } = head.calibration;
  const logit = { baseline: slope * output.baselineLogit + intercept, network: slope * output.residualLogit, rules: rules.total };
  const total = logit.baseline + logit.network + logit.rules;
  if (!Number.isFinite(total)) throw new ServiceError('inference.failed', `model ${model.id} answered a logit that is not finite`);
  const probability = sigmoid(total);
  const decision = decisionThreshold(head, logThetaRatio);
  return {
    theta,
    logit: { ...logit, total },
    probability,
    decision,
    probabilityUp: sigmoid(output.directionLogit),
    rules,
    reasons: [...vetoReasons(rules), ...untrained, ...decisionReasons(probability, decision, head.name)],
    featuresMs: writtenMs - startMs,
    networkMs: answeredMs - writtenMs,
    rulesMs: ruledMs - handedMs,
  };
}

function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}
