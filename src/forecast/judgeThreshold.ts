import type { Clock } from '../core/Clock.ts';
import type { WindowRefusal } from '../features/WindowMeasures.ts';
import type { InferenceHost } from '../inference/InferenceHost.ts';
import type { ServedModel } from '../model/ModelManifest.ts';
import type { RuleSet } from '../rules/RuleSet.ts';
import type { TickRequest } from '../ticks/parseTickRequest.ts';
import { WindowJudgement, type Verdict } from './WindowJudgement.ts';
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
  /** On the monotonic clock; undefined: no limit. */
  readonly deadlineMs: number | undefined;
  /** Whether every rule is to be told, and not only those that decide. */
  readonly wantsTrace: boolean;
};

/**
 * Asks the network about one threshold (`null`: the window's own), adds the rules and compares with the decision threshold
 * of its band. Refusals of the window are returned. The rules run while the network does: neither reads the other.
 * Throws ServiceError `inference.failed` where the network's answer is not finite, and whatever the host throws.
 */
export async function judgeThreshold(
  { host, rulesOf, clock, slot }: JudgeDeps,
  model: ServedModel,
  request: TickRequest,
  { theta, deadlineMs, wantsTrace }: Question,
): Promise<Verdict | WindowRefusal> {
  const judgement = WindowJudgement.begin({ slot, clock, model, request, theta });
  if (typeof judgement === 'string') return judgement;
  const askedMs = clock.monotonicMs();
  // The host reads the row before it returns its promise.
  const asked = host.infer(model.networkId, judgement.row, deadlineMs);
  // Awaited below; marked as handled, so that a failure meanwhile is not reported as lost.
  asked.catch(() => {});
  // From the next `await` on the slot may change hands.
  judgement.applyRules(rulesOf(model), wantsTrace);
  const output = await asked;
  return judgement.conclude(output, clock.monotonicMs() - askedMs);
}
