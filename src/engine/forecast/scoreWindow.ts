import type { Clock } from '../../core/Clock.ts';
import type { FeatureBuilder } from '../features/FeatureBuilder.ts';
import type { WindowRefusal } from '../features/WindowMeasures.ts';
import type { InferenceHost, InferenceRow } from '../inference/InferenceHost.ts';
import type { ServedModel } from '../model/ModelManifest.ts';
import type { NetworkOutput } from '../model/NetworkWeights.ts';
import type { RuleSet } from '../rules/RuleSet.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import { scoreBars } from './scoreBars.ts';
import type { ScoredWindow, ScoringQuestion } from './WindowScore.ts';
import { WindowScorer } from './WindowScorer.ts';

export type ScoringDeps = {
  readonly host: InferenceHost;
  readonly ruleSet: RuleSet;
  readonly clock: Clock;
  /** Shared by all forecasts: each uses it without an `await` in between. */
  readonly features: FeatureBuilder;
};

export type ScoringRequest = ScoringQuestion & {
  /** On the monotonic clock; undefined: no limit. */
  readonly deadlineMs?: number | undefined;
  /** Whether the trace includes every rule, not only those that decide. */
  readonly wantsTrace: boolean;
  /** Whether the curves to both ends of the trained range are wanted, for a threshold that turns the answer. Default false. */
  readonly wantsSides?: boolean;
};

/**
 * Scores a window for one threshold: runs the network, applies the rules and compares the probability with the decision threshold. Refusals
 * of the window are returned. The rules run at the same time as the network; they are independent. Throws ServiceError `inference.failed` if
 * the network output is not finite, and the errors of the host.
 */
export async function scoreWindow(
  { host, ruleSet, clock, features }: ScoringDeps,
  model: ServedModel,
  request: TickRequest,
  wanted: ScoringRequest,
): Promise<ScoredWindow> {
  const { deadlineMs, wantsTrace, wantsSides = false } = wanted;
  if (request.bars !== undefined) return scoreBars({ clock, model, request, ...wanted, wantsSides });
  const scorer = WindowScorer.begin({ features, clock, model, request, ...wanted });
  if (typeof scorer === 'string') return { window: scorer, context: null, score: scorer };
  const askedMs = clock.monotonicMs();
  const ask = (rows: readonly (InferenceRow | WindowRefusal)[]): Promise<(NetworkOutput | null)[]> => {
    const asked = Promise.all(rows.map((row) => (typeof row === 'string' ? null : host.infer(model.networkId, row, deadlineMs))));
    // Awaited below; this handler keeps a rejection before that from being reported as unhandled.
    asked.catch(() => {});
    return asked;
  };
  const rows = scorer.takeRows();
  const refused = rows.find((row) => typeof row === 'string');
  if (refused !== undefined) return scorer.scored(refused);
  const answer = ask(rows);
  // After the next `await`, the features may be those of another window.
  scorer.applyRules(ruleSet, wantsTrace, wantsSides);
  const sides = ask(scorer.takeRows());
  const outputs = [...(await answer), ...(await sides)];
  return scorer.scored(scorer.conclude(outputs, clock.monotonicMs() - askedMs));
}
