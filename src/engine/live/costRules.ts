import { fieldProblem, invalidRequest, type ServiceError } from '../../core/ServiceError.ts';
import type { ForecastPlan } from './LiveSeries.ts';

/** Throws ServiceError `request.invalid` for ticks without bid and ask of a series of which a forecast has the cost as its threshold. */
export function refuseWithoutCost(plans: readonly Pick<ForecastPlan, 'id' | 'options'>[], pointer = '/Price'): void {
  const plan = plans.find(({ options }) => options.minMoveBps === 'cost');
  if (plan !== undefined) throw costUnknown(pointer, `that of the forecast ${plan.id} needs Bid and Ask`);
}

export const costUnknown = (pointer: string, why: string): ServiceError =>
  invalidRequest([fieldProblem(pointer, 'min_move_bps.cost_unknown', `min_move_bps is cost, but ${why}.`)]);
