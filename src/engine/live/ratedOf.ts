import type { ForecastOptions } from '../../contract/forecastOptions.ts';
import { US_PER_SECOND } from '../../core/units.ts';
import type { TickForecast } from '../forecast/Forecaster.ts';
import { horizonClass, type RateKey, type SeriesRates } from './SeriesRates.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';

/** The cut of a forecast with `mark_rate`, from the earlier ones of its series, and how the forecast is counted. Without a rate: nothing. */
export function ratedOf(
  rates: SeriesRates,
  name: Pick<RateKey, 'accountId' | 'series'> | undefined,
  { series, futureUs, bars }: Pick<TickRequest, 'series' | 'futureUs' | 'bars'>,
  { markRate, minMoveBps }: ForecastOptions,
): { readonly options: { readonly markCut?: number | null }; add(forecast: Pick<TickForecast, 'summary'>): void } {
  if (markRate === undefined || name === undefined) return { options: {}, add: () => {} };
  const lastUs = series.timesUs.at(-1)!;
  const horizon = horizonClass((futureUs - lastUs) / US_PER_SECOND);
  const key = { ...name, horizon, minMoveBps: minMoveBps ?? null, barPeriodMs: bars?.periodMs ?? 0 };
  return {
    options: { markCut: rates.cut(key, markRate) },
    add: ({ summary }) => rates.add(key, summary.model, lastUs, summary.probability),
  };
}
