import { MS_PER_SECOND } from '../core/units.ts';
import type { ForecastPlan } from '../engine/live/LiveSeries.ts';
import type { ModelManifest } from '../engine/model/ModelManifest.ts';
import { suitableTicks } from '../engine/model/suitableTicks.ts';

/**
 * Plans that name no number of ticks get the one that suits their horizon, with the memory of the series or without; they stay as they are where
 * the version is unknown.
 */
export function suitedPlans(
  plans: readonly ForecastPlan[],
  manifest: Pick<ModelManifest, 'heads'> | undefined,
  withMemory: boolean,
): readonly ForecastPlan[] {
  if (manifest === undefined) return plans;
  return plans.map((plan) => ({ ...plan, ticks: plan.ticks ?? suitableTicks(manifest, plan.horizonMs / MS_PER_SECOND, withMemory) }));
}
