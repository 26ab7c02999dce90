import type { ForecastOptions } from '../../contract/forecastOptions.ts';
import { US_PER_MS, US_PER_SECOND } from '../../core/units.ts';
import type { ForecastCall, Forecaster } from '../../engine/forecast/Forecaster.ts';
import { originOf, usesMemory } from '../../engine/forecast/memoryAt.ts';
import { rememberTicks } from '../../engine/forecast/replayTicks.ts';
import type { ServedModel } from '../../engine/model/ModelManifest.ts';
import type { TickFile } from '../../ticks/import/streamTickFile.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';

/** Earlier windows whose outcomes a forecast learns from: more are worth little, and each takes a third of a millisecond. */
const MOST_REMEMBERED = 100;

/**
 * The memory for a forecast of the last ticks of a file: it has seen the ticks before them and the outcomes of earlier windows. Empty if the
 * window is the whole file. Throws the errors of a forecast.
 */
export async function rememberFile(
  forecaster: Pick<Forecaster, 'forecast'>,
  model: ServedModel | undefined,
  { rows, series: all, bars }: Pick<TickFile, 'rows' | 'series' | 'bars'>,
  request: Pick<TickRequest, 'series' | 'futureUs'>,
  options: ForecastOptions,
): Promise<Pick<ForecastCall, 'memory'>> {
  const ticks = request.series.timesUs.length;
  if (model === undefined || rows === ticks) return {};
  if (!usesMemory(model, bars !== undefined)) return { memory: 'version_without_memory' };
  const { originMs, horizonMs } = originOf(request);
  const horizonUs = horizonMs * US_PER_MS;
  const memory = await rememberTicks(forecaster, all, {
    ...{ ticks, horizonUs, everyUs: horizonUs + (bars === undefined ? US_PER_SECOND : 0), most: MOST_REMEMBERED },
    bars,
    options: { ...options, model: model.id, minMoveBps: options.minMoveBps === 'cost' ? undefined : options.minMoveBps },
  });
  return { memory: memory.lastMs === originMs ? memory.view(horizonMs) : 'other_origin' };
}
