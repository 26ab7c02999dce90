import { US_PER_MS } from '../../src/core/units.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';

/** Bars of one series as a request has them: `timesUs` are their ends, `prices` their closes. Bars without a tick are missing. */
export type MadeBars = {
  readonly periodMs: number;
  readonly series: TickSeries;
  readonly ranges: { readonly open: Float64Array; readonly high: Float64Array; readonly low: Float64Array };
};

/** A bar has the ticks from its beginning to just before its end, both multiples of the period. */
export function makeBars({ timesUs, prices }: TickSeries, periodMs: number): MadeBars {
  const periodUs = periodMs * US_PER_MS;
  const [ends, open, high, low, close]: [number[], number[], number[], number[], number[]] = [[], [], [], [], []];
  let end = -Infinity;
  for (let i = 0; i < timesUs.length; i++) {
    const price = prices[i];
    const of = (Math.floor(timesUs[i] / periodUs) + 1) * periodUs;
    const at = close.length - 1;
    if (of === end) {
      high[at] = Math.max(high[at], price);
      low[at] = Math.min(low[at], price);
      close[at] = price;
      continue;
    }
    end = of;
    ends.push(of);
    for (const column of [open, high, low, close]) column.push(price);
  }
  return {
    periodMs,
    series: { timesUs: Float64Array.from(ends), prices: Float64Array.from(close) },
    ranges: { open: Float64Array.from(open), high: Float64Array.from(high), low: Float64Array.from(low) },
  };
}

/** Joins the bars of files of one series, in time order. */
export function joinBars(parts: readonly MadeBars[]): MadeBars {
  const join = (column: (part: MadeBars) => Float64Array): Float64Array => {
    const all = new Float64Array(parts.reduce((sum, part) => sum + column(part).length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(column(part), at);
      at += column(part).length;
    }
    return all;
  };
  return {
    periodMs: parts[0].periodMs,
    series: { timesUs: join(({ series }) => series.timesUs), prices: join(({ series }) => series.prices) },
    ranges: { open: join(({ ranges }) => ranges.open), high: join(({ ranges }) => ranges.high), low: join(({ ranges }) => ranges.low) },
  };
}
