import { seededRandom } from '../../src/core/Random.ts';
import type { BarWindow } from '../../src/ticks/BarWindow.ts';
import type { TickRequest } from '../../src/ticks/parseTickRequest.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';

const BARS_START_MS = Date.UTC(2026, 0, 5);

export type Bars = { readonly series: TickSeries; readonly bars: Required<Omit<BarWindow, 'barTime'>> };

/**
 * Bars of a random walk whose moves are three times as large from 12:00 to 16:00 UTC. `missing`: fraction of bars that are left out; `nights`: the
 * market is closed from 20:00 to 6:00.
 */
export function walkBars({
  count,
  periodMs = 60_000,
  seed = 1,
  missing = 0,
  nights = false,
}: {
  readonly count: number;
  readonly periodMs?: number;
  readonly seed?: number;
  readonly missing?: number;
  readonly nights?: boolean;
}): Bars {
  const random = seededRandom(seed);
  const columns: Record<'ends' | 'open' | 'high' | 'low' | 'close', number[]> = { ends: [], open: [], high: [], low: [], close: [] };
  let log = Math.log(100);
  for (let end = BARS_START_MS + periodMs; columns.ends.length < count; end += periodMs) {
    const hour = new Date(end - 1).getUTCHours();
    if ((nights && (hour >= 20 || hour < 6)) || random.uniform() < missing) continue;
    const size = 2e-4 * Math.sqrt(periodMs / 60_000) * (hour >= 12 && hour < 16 ? 3 : 1);
    const path = Array.from({ length: 5 }, () => (log += (size / Math.sqrt(5)) * random.normal())).map(Math.exp);
    columns.ends.push(end * 1000);
    columns.open.push(path[0]);
    columns.close.push(path[4]);
    columns.high.push(Math.max(...path));
    columns.low.push(Math.min(...path));
  }
  const of = (name: keyof typeof columns): Float64Array => Float64Array.from(columns[name]);
  return {
    series: { timesUs: of('ends'), prices: of('close') },
    bars: { periodMs, ranges: { open: of('open'), high: of('high'), low: of('low') } },
  };
}

/** The request that has bars [from, to). */
export function barRequest({ series, bars }: Bars, horizonMs: number, from = 0, to = series.timesUs.length): TickRequest {
  const cut = (values: Float64Array): Float64Array => values.subarray(from, to);
  const { open, high, low } = bars.ranges;
  return {
    series: { timesUs: cut(series.timesUs), prices: cut(series.prices) },
    bars: { periodMs: bars.periodMs, ranges: { open: cut(open), high: cut(high), low: cut(low) } },
    futureUs: series.timesUs[to - 1] + horizonMs * 1000,
  };
}
