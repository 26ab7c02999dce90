import { fieldProblem, invalidRequest, quoteValue } from '../../core/ServiceError.ts';
import type { LiveSeries } from '../../live/LiveSeries.ts';
import type { TickRequest } from '../../ticks/parseTickRequest.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';
import { formatTimestamp } from '../../ticks/timestamps.ts';

/** The request of a window that ends at the last tick of its series, with the one-minute closes before it if they are used. */
export function seriesRequest(
  series: Pick<LiveSeries, 'closesBefore'>,
  window: TickSeries,
  futureUs: number,
  usesCloses: boolean,
): TickRequest {
  const closes = usesCloses ? series.closesBefore(window) : undefined;
  return { series: window, futureUs, ...(closes === undefined ? {} : { closes }) };
}

/** Throws ServiceError `request.invalid` if the first tick of a series is not later than the closes that it was opened with. */
export function refuseTicksBefore(closes: TickSeries | undefined, firstUs: number, stamp: string | number): void {
  const lastUs = closes?.timesUs.at(-1) ?? -Infinity;
  if (firstUs > lastUs) return;
  const detail = `Timestamp[0] is ${quoteValue(stamp)}, not later than the last of the closes of the series, "${formatTimestamp(lastUs, 6)}"; closes are from before the ticks.`;
  throw invalidRequest([fieldProblem('/Timestamp/0', 'closes.not_before_ticks', detail)]);
}
