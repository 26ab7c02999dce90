import { medianSpreadBps, spreadsBps } from '../../ticks/tickColumns.ts';
import { bpsText } from '../answer/describeAnswer.ts';
import { formatSpan } from '../ticks/timeText.ts';
import { MAX_TICKS, type TickSeries } from '../ticks/TickSeries.ts';
import type { LeadRow } from './leadTable.ts';

/** Which horizons clear the cost of the user at all: the one that was named, or else the median spread of the last quotes. */
export function clearingText(
  rows: readonly Pick<LeadRow, 'horizonMs' | 'medianMoveBps'>[],
  ownBps: number | null,
  series: Pick<TickSeries, 'quotes'> = {},
): string {
  const costBps = ownBps ?? lastSpreadBps(series);
  if (costBps === undefined) return 'Name your cost as the threshold to see which horizons clear it.';
  const cost = `${ownBps === null ? 'the spread' : 'your cost'} of ${bpsText(costBps)}`;
  const clear = rows.filter(({ medianMoveBps }) => medianMoveBps !== null && medianMoveBps > costBps);
  if (clear.length === 0) return `Nothing clears ${cost}: at none of these horizons is the median move larger.`;
  return `The median move is larger than ${cost} at ${[...new Set(clear.map(({ horizonMs }) => formatSpan(horizonMs)))].join(', ')}.`;
}

/** The median spread of the last quotes; undefined: there are none. */
export function lastSpreadBps({ quotes }: Pick<TickSeries, 'quotes'>): number | undefined {
  if (quotes === undefined) return undefined;
  const { bids, asks } = quotes;
  const [Bid, Ask] = [bids.subarray(-MAX_TICKS), asks.subarray(-MAX_TICKS)];
  return medianSpreadBps(spreadsBps({ Bid, Ask }, Bid.length));
}
