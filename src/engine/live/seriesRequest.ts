import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import { medianSpreadBps } from '../../ticks/tickColumns.ts';
import type { LiveSeries } from './LiveSeries.ts';
import type { LiveWindow } from '../../ticks/TickWindow.ts';

/** The request of a window that ends at the last tick of its series, with the one-minute closes before it if they are used. */
export function seriesRequest(
  series: Pick<LiveSeries, 'closesBefore' | 'barPeriodMs'>,
  window: LiveWindow,
  futureUs: number,
  usesCloses: boolean,
): TickRequest {
  const { barPeriodMs: periodMs } = series;
  const closes = usesCloses && periodMs === undefined ? series.closesBefore(window) : undefined;
  const { spreadsBps, ranges } = window;
  return {
    series: window,
    futureUs,
    ...(closes === undefined ? {} : { closes }),
    ...(periodMs === undefined ? {} : { bars: ranges === undefined ? { periodMs } : { periodMs, ranges } }),
    ...(spreadsBps === undefined
      ? {}
      : { spreadBps: () => medianSpreadBps(spreadsBps), isCrossed: () => spreadsBps.some((spread) => spread < 0) }),
  };
}
