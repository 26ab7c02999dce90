import { fieldProblem, invalidRequest, quoteValue, type ServiceError } from '../../core/ServiceError.ts';
import type { ForecastPlan } from './LiveSeries.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';
import { formatTimestamp } from '../../ticks/timestamps.ts';

/** Throws ServiceError `request.invalid` for ticks without bid and ask of a series of which a forecast has the cost as its threshold. */
export function refuseWithoutCost(plans: readonly Pick<ForecastPlan, 'id' | 'options'>[], pointer = '/Price'): void {
  const plan = plans.find(({ options }) => options.minMoveBps === 'cost');
  if (plan !== undefined) throw costUnknown(pointer, `that of the forecast ${plan.id} needs Bid and Ask`);
}

export const costUnknown = (pointer: string, why: string): ServiceError =>
  invalidRequest([fieldProblem(pointer, 'min_move_bps.cost_unknown', `min_move_bps is cost, but ${why}.`)]);

/** Throws ServiceError `request.invalid` if the first tick of a series is not later than the closes that it was opened with. */
export function refuseTicksBefore(closes: TickSeries | undefined, firstUs: number, stamp: string | number): void {
  const lastUs = closes?.timesUs.at(-1) ?? -Infinity;
  if (firstUs > lastUs) return;
  const detail = `Timestamp[0] is ${quoteValue(stamp)}, not later than the last of the closes of the series, "${formatTimestamp(lastUs, 6)}"; closes are from before the ticks.`;
  throw invalidRequest([fieldProblem('/Timestamp/0', 'closes.not_before_ticks', detail)]);
}
