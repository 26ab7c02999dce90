import type uPlot from 'uplot';
import { thinTicks } from '../ticks/stepWindow.ts';
import { US_PER_MS } from '../ticks/TickSeries.ts';
import type { ChartView } from './ChartView.ts';

/** The most ticks drawn after the window: a whole day would block the page. */
const MAX_AFTER = 4000;

/** Times in milliseconds, prices of the ticks sent, and prices of those after them; null where a tick is of the other kind. */
export function chartData({ series, from, origin, outcome }: ChartView): uPlot.AlignedData {
  const end = outcome.status === 'known' && outcome.exit !== null ? Math.max(outcome.exit, origin) : origin;
  const afterwards = thinTicks(series.prices, origin + 1, end, MAX_AFTER);
  const sent = origin + 1 - from;
  const count = sent + afterwards.length;
  const [times, own, after] = [new Float64Array(count), new Array<number | null>(count), new Array<number | null>(count)];
  for (let i = 0; i < count; i++) {
    const at = i < sent ? from + i : afterwards[i - sent]!;
    times[i] = series.timesUs[at]! / US_PER_MS;
    own[i] = at <= origin ? series.prices[at]! : null;
    // From the last tick sent on, so that both lines meet.
    after[i] = at >= origin && end > origin ? series.prices[at]! : null;
  }
  return [times, own, after] as unknown as uPlot.AlignedData;
}
