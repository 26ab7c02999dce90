import { expect } from 'chai';
import type { MarketAnswer, MarketForecast, MarketForecastsAnswer } from '../../src/contract/markets.ts';
import { BPS_PER_UNIT } from '../../src/core/units.ts';
import { labelOrigin } from '../../src/engine/features/labelOrigin.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { parseTimestampUs } from '../../src/ticks/timestamps.ts';
import { until } from './until.ts';

/** GET of a path under /account/markets. */
export type AskMarkets = (path: string) => Promise<unknown>;

/** The ticks that a local exchange sends. */
export const partOf = ({ timesUs, prices }: TickSeries, from: number, to?: number) =>
  Array.from(timesUs.subarray(from, to), (timeUs, i) => ({ timeMs: timeUs / 1000, price: prices[from + i] }));

export async function forecastsOf(ask: AskMarkets, id: string): Promise<MarketForecast[]> {
  const all = new Map<number, MarketForecast>();
  for (let page: Pick<MarketForecastsAnswer, 'last' | 'more'> = { last: 0, more: true }; page.more;) {
    const next = (await ask(`/${id}/forecasts?after=${page.last}`)) as MarketForecastsAnswer;
    for (const forecast of next.forecasts) all.set(forecast.n, forecast);
    page = next;
  }
  return [...all.values()].sort((a, b) => a.n - b.n);
}

/** Resolves when the market has seen the ticks before `end`. */
export const hasSeen = (ask: AskMarkets, id: string, { timesUs }: TickSeries, end = timesUs.length): Promise<void> =>
  until(async () => parseTimestampUs(((await ask(`/${id}`)) as MarketAnswer).last_tick ?? '') >= timesUs[end - 1]);

/** The origins of the forecasts: the first tick of each half minute, once there are 199. */
function originsOf({ timesUs }: TickSeries, end: number): number[] {
  const interval = (i: number): number => Math.floor(timesUs[i] / 30e6);
  return Array.from({ length: end }, (_, i) => i).filter((i) => i >= 198 && interval(i) > interval(i - 1));
}

/** All forecasts of 60 s each half minute, each once, with the outcomes that the ticks before `end` show. */
export async function expectAll(ask: AskMarkets, id: string, ticks: TickSeries, end = ticks.timesUs.length): Promise<MarketForecast[]> {
  const origins = originsOf(ticks, end);
  const isOver = (i: number): boolean => ticks.timesUs[end - 1] / 1000 > ticks.timesUs[i] / 1000 + 60_000;
  const over = origins.filter(isOver).length;
  let forecasts: MarketForecast[] = [];
  await until(async () => {
    forecasts = await forecastsOf(ask, id);
    return forecasts.length >= origins.length && forecasts.filter(({ outcome }) => outcome !== null).length >= over;
  });
  expect(forecasts.map(({ last_tick: stamp }) => parseTimestampUs(stamp))).to.deep.equal(origins.map((i) => ticks.timesUs[i]));
  expect(forecasts.map(({ n }) => n)).to.deep.equal(origins.map((_, n) => n));
  for (const [n, i] of origins.entries()) {
    const label = labelOrigin(ticks, i, 60, Infinity);
    const { outcome } = forecasts[n];
    expect(outcome === null, `forecast ${n}`).to.equal(!isOver(i));
    if (isOver(i) && label.status === 'ok') expect(outcome!.move_bps).to.be.closeTo(label.move * BPS_PER_UNIT, 1e-9);
  }
  return forecasts;
}
