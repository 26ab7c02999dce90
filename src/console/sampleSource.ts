import type { Source } from './Ask.ts';
import { Failure } from './service/failureText.ts';
import type { Service } from './service/clientService.ts';
import type { Forecast } from './service/Service.ts';
import type { Window } from './ticks/readFuture.ts';
import { parseTimestamp } from './ticks/timeText.ts';
import { US_PER_MS } from './ticks/TickSeries.ts';

export type Sample = { readonly source: Source; readonly horizonMs: number; readonly forecast: Forecast };

/** The ticks of a body that has stamps as texts, and its horizon. Throws Failure. */
export function windowOfBody({ Timestamp, Price }: { readonly Timestamp: readonly string[]; readonly Price: readonly number[] }): Window {
  const stamps = Timestamp.map(parseTimestamp);
  if (stamps.includes(null)) throw new Failure('The sample of this service cannot be read.', { status: 500 });
  const futureUs = stamps.at(-1) as number;
  const timesUs = Float64Array.from(stamps.slice(0, -1) as number[]);
  const series = { timesUs, prices: Float64Array.from(Price.slice(0, -1)) };
  return { series, horizonMs: (futureUs - timesUs.at(-1)!) / US_PER_MS };
}

/** The service's sample as ticks, and its answer. */
export async function sampleSource(service: Service): Promise<Sample> {
  const [body, forecast] = await Promise.all([service.sample(), service.sampleForecast()]);
  const { series, horizonMs } = windowOfBody(body);
  const source: Source = {
    kind: 'sample',
    name: 'Sample',
    text: `${series.timesUs.length} generated ticks of two minutes. They are not market data.`,
    notes: [],
    zone: null,
    series,
  };
  return { source, horizonMs, forecast };
}
