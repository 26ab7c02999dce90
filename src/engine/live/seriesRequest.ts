import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import { medianSpreadBps } from '../../ticks/tickColumns.ts';
import type { LiveSeries } from './LiveSeries.ts';
import type { LiveWindow } from '../../ticks/TickWindow.ts';

/** The request of a window that ends at the last tick of its series. */
export function seriesRequest(
  { barPeriodMs: periodMs }: Pick<LiveSeries, 'barPeriodMs'>,
  window: LiveWindow,
  futureUs: number,
): TickRequest {
  const { spreadsBps, ranges } = window;
  return {
    series: window,
    futureUs,
    ...(periodMs === undefined ? {} : { bars: ranges === undefined ? { periodMs } : { periodMs, ranges } }),
    ...(spreadsBps === undefined
      ? {}
      : {
          spreadBps: () => medianSpreadBps(spreadsBps),
          spreadsBps: () => spreadsBps,
          isCrossed: () => spreadsBps.some((spread) => spread < 0),
        }),
  };
}
