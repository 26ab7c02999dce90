import type { ForecastOptions } from '../../../engine/forecast/Forecaster.ts';
import type { TickRequest } from '../../../ticks/parseTickRequest.ts';
import type { MadeForecast, ViewOf } from '../../live/SeriesMemories.ts';
import type { SeriesName } from '../../live/RememberedForecasts.ts';
import type { RequestContext } from '../RequestContext.ts';

type Computed<T> = { readonly result: T; readonly made: readonly MadeForecast[] };

/**
 * Computes the forecasts of a request with the memory of its series, which learns from it; without a series, with `memory=off` or
 * SERIES_MEMORY=false, as if there were none. Throws ServiceError `request.invalid` if the series has another kind of prices.
 */
export async function withMemory<T>(
  { parts, query }: Pick<RequestContext, 'parts' | 'query'>,
  name: SeriesName | undefined,
  request: Pick<TickRequest, 'series' | 'closes' | 'bars'>,
  compute: (optionsFor: (horizonMs: number) => Pick<ForecastOptions, 'memory'>) => Promise<Computed<T>>,
): Promise<T> {
  if (name !== undefined) parts.remembered.refuseOtherKind(name, request.bars?.periodMs ?? 0);
  if (name === undefined || query.memoryOff === true || parts.memories === undefined) return (await compute(() => ({}))).result;
  const optionsOf =
    (viewOf: ViewOf) =>
    (horizonMs: number): Pick<ForecastOptions, 'memory'> => ({ memory: viewOf(horizonMs) });
  if (!parts.models.usesMemory(query.modelId, request.bars !== undefined))
    return (await compute(optionsOf(() => 'version_without_memory'))).result;
  return parts.memories.use(name, request, (viewOf) => compute(optionsOf(viewOf)));
}
