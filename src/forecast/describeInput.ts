import type { ForecastDetail, InputNote } from '../contract/forecastDetail.ts';
import { BPS_PER_UNIT, MS_PER_SECOND, US_PER_MS } from '../core/units.ts';
import type { WindowMeasures, WindowRefusal } from '../features/WindowMeasures.ts';
import { FEW_DISTINCT_TICKS } from '../rules/predicates/fewDistinctTicks.ts';
import type { TickRequest } from '../ticks/parseTickRequest.ts';

/** What was received and how it was read. A refused window has no measures: its numbers are null. */
export function describeInput(
  request: TickRequest,
  measures: WindowMeasures | WindowRefusal,
  isSynthetic: boolean,
): ForecastDetail['input'] {
  const { timesUs } = request.series;
  const notes: InputNote[] = [];
  if (timesUs.some((timeUs) => timeUs % US_PER_MS !== 0)) notes.push('sub_ms_cut');
  if (isSynthetic) notes.push('model_is_synthetic');
  if (typeof measures === 'string')
    return { ticks: timesUs.length, distinct_ticks: null, median_gap_ms: null, cost_bps: null, volatility_bps_per_sqrt_s: null, notes };
  if (measures.ticksBeforeGap > 0) notes.push('session_gap_cut');
  if (measures.distinctTicks < measures.ticks - measures.ticksBeforeGap) notes.push('equal_stamps');
  if (measures.distinctTicks < FEW_DISTINCT_TICKS) notes.push('few_distinct_ticks');
  notes.push('cost_from_prices_alone');
  return {
    ticks: timesUs.length,
    distinct_ticks: measures.distinctTicks,
    median_gap_ms: measures.medianGapS * MS_PER_SECOND,
    cost_bps: measures.cost * BPS_PER_UNIT,
    volatility_bps_per_sqrt_s: measures.sigmas[2] * BPS_PER_UNIT,
    notes,
  };
}
