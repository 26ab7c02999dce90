import { fieldProblem, invalidRequest, quoteValue, type ServiceError } from '../../core/ServiceError.ts';
import type { ForecastPlan } from './LiveSeries.ts';

/** Throws ServiceError `request.invalid` if a message has ranges and the earlier ones have none, or the reverse. `known`: of the earlier ones, if there are any. */
export function refuseOtherRanges(known: boolean | undefined, sent: boolean): void {
  if (known === undefined || known === sent) return;
  const detail = known
    ? 'Open, High and Low are missing; the earlier bars of the series have them.'
    : 'Open, High and Low are sent; the earlier bars of the series have Close alone.';
  throw invalidRequest([fieldProblem('/Open', 'bars.ranges_differ', detail)]);
}

/** Of a message `sent` to a series that was opened for the other one. */
export function wrongMessage(series: string, opened: 'ticks' | 'bars', sent: 'ticks' | 'bars'): ServiceError {
  const detail = `type is ${sent}, but the series ${quoteValue(series)} was opened for ${opened}.`;
  return invalidRequest([fieldProblem('/type', 'series.other_kind', detail)]);
}

/** Throws ServiceError `request.invalid` for ticks without bid and ask of a series of which a forecast has the cost as its threshold. */
export function refuseWithoutCost(plans: readonly Pick<ForecastPlan, 'id' | 'options'>[], pointer = '/Price'): void {
  const plan = plans.find(({ options }) => options.minMoveBps === 'cost');
  if (plan !== undefined) throw costUnknown(pointer, `that of the forecast ${plan.id} needs Bid and Ask`);
}

export const costUnknown = (pointer: string, why: string): ServiceError =>
  invalidRequest([fieldProblem(pointer, 'min_move_bps.cost_unknown', `min_move_bps is cost, but ${why}.`)]);
