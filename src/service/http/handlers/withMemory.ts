import type { ForecastCall, TickForecast } from '../../../engine/forecast/Forecaster.ts';
import type { TickRequest } from '../../../ticks/parseTickRequest.ts';
import type { Patience } from '../../admission/whenGone.ts';
import type { ComputeForecasts, Origin } from '../../live/learnRequest.ts';
import type { SeriesName } from '../../live/RememberedForecasts.ts';
import type { RequestContext } from '../RequestContext.ts';

type ComputeWith = (memories: readonly ForecastCall['memory'][]) => Promise<readonly TickForecast[]>;

/** The series of a request; undefined: it names none. */
export const nameOf = ({ query, caller }: Pick<RequestContext, 'query' | 'caller'>): SeriesName | undefined =>
  query.series === undefined || caller === undefined ? undefined : { accountId: caller.accountId, series: query.series };

/**
 * Computes the forecasts of a request, one for each origin, with the memory of its series, which learns from it; without a series, with
 * `memory=off` or SERIES_MEMORY=false, as if there were none. It waits for other requests of the series, so it must not be called in a slot of
 * the admission queue. Throws ServiceError `request.invalid` if the series has another kind of prices.
 */
export async function withMemory(
  { parts, query }: Pick<RequestContext, 'parts' | 'query'>,
  name: SeriesName,
  request: Pick<TickRequest, 'series' | 'bars'>,
  origins: readonly Origin[],
  compute: ComputeWith & ComputeForecasts<TickForecast>,
  patience: Patience,
): Promise<readonly TickForecast[]> {
  parts.remembered.refuseOtherKind(name, request.bars?.periodMs ?? 0);
  if (query.memoryOff === true || parts.memories === undefined) return compute(origins.map(() => undefined));
  if (!parts.models.usesMemory(query.options.model, request.bars !== undefined))
    return compute(origins.map(() => 'version_without_memory'));
  return parts.memories.use(name, request, origins, compute, patience);
}
