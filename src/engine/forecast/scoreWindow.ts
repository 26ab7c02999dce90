import type { Clock } from '../../core/Clock.ts';
import type { WindowRefusal } from '../features/WindowMeasures.ts';
import type { InferenceHost } from '../inference/InferenceHost.ts';
import type { ServedModel } from '../model/ModelManifest.ts';
import type { NetworkOutput } from '../model/NetworkWeights.ts';
import type { RuleSet } from '../rules/RuleSet.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import { WindowScorer, type WantedCut, type WindowScore, type WindowSlot } from './WindowScorer.ts';

export type ScoringDeps = {
  readonly host: InferenceHost;
  readonly rulesOf: (model: ServedModel) => RuleSet;
  readonly clock: Clock;
  readonly slot: WindowSlot;
};

export type ScoringRequest = {
  /** Log price; null: the default of the window. */
  readonly theta: number | null;
  readonly minProbability: WantedCut;
  /** On the monotonic clock; undefined: no limit. */
  readonly deadlineMs: number | undefined;
  /** Whether the trace includes every rule, not only those that decide. */
  readonly wantsTrace: boolean;
  /** Whether the time of day is used, if the version has learned it. */
  readonly usesClock: boolean;
};

/**
 * Scores a window for one threshold: runs the network, applies the rules and compares the probability with the decision threshold. Refusals
 * of the window are returned. The rules run at the same time as the network; they are independent. Throws ServiceError `inference.failed` if
 * the network output is not finite, and the errors of the host.
 */
export async function scoreWindow(
  { host, rulesOf, clock, slot }: ScoringDeps,
  model: ServedModel,
  request: TickRequest,
  { deadlineMs, wantsTrace, ...wanted }: ScoringRequest,
): Promise<WindowScore | WindowRefusal> {
  const window = WindowScorer.begin({ slot, clock, model, request, ...wanted });
  if (typeof window === 'string') return window;
  const askedMs = clock.monotonicMs();
  const asked: Promise<NetworkOutput>[] = [];
  for (let at = 0; at < window.rows; at++) {
    const row = window.row(at);
    if (typeof row === 'string') return row;
    // The host reads the row before it returns its promise.
    const output = host.infer(model.networkId, row, deadlineMs);
    // Awaited below; this handler keeps a rejection before that from being reported as unhandled.
    output.catch(() => {});
    asked.push(output);
  }
  // After the next `await`, the slot may hold another window.
  window.applyRules(rulesOf(model), wantsTrace);
  const outputs = await Promise.all(asked);
  return window.conclude(outputs, clock.monotonicMs() - askedMs);
}
