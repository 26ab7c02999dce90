import type { TickSeries } from '../../src/ticks/TickSeries.ts';

/** Keeps the last tick of each bar of `barS` seconds with its own timestamp, to simulate a sparse market. The result is in shared memory. */
export function thinToBars(series: TickSeries, barS: number): TickSeries {
  const barUs = barS * 1e6;
  const keep: number[] = [];
  const { timesUs, prices } = series;
  for (let i = 0; i < timesUs.length; i++) {
    const bar = Math.floor((timesUs[i] as number) / barUs);
    const next = i + 1 < timesUs.length ? Math.floor((timesUs[i + 1] as number) / barUs) : -1;
    if (bar !== next) keep.push(i);
  }
  const times = new Float64Array(new SharedArrayBuffer(8 * keep.length));
  const kept = new Float64Array(new SharedArrayBuffer(8 * keep.length));
  keep.forEach((from, to) => {
    times[to] = timesUs[from] as number;
    kept[to] = prices[from] as number;
  });
  return { timesUs: times, prices: kept };
}
