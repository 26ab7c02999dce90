import { clearingHorizonsS, type Setup } from '../../engine/scoring/usefulSetup.ts';
import { medianSpreadBps, spreadsBps } from '../../ticks/tickColumns.ts';
import { bpsText } from '../answer/describeAnswer.ts';
import { formatSpan } from '../ticks/timeText.ts';
import { MAX_TICKS, type TickSeries } from '../ticks/TickSeries.ts';

/** Which horizons clear the cost of the user at all: the one that was named, or else the median spread of the last quotes. */
export function clearingText(
  setups: readonly Pick<Setup, 'horizonS' | 'medianMoveBps'>[],
  ownBps: number | null,
  series: Pick<TickSeries, 'quotes'> = {},
): string {
  const costBps = ownBps ?? lastSpreadBps(series);
  if (costBps === undefined) return 'Name your cost as the threshold to see which horizons clear it.';
  const cost = `${ownBps === null ? 'the spread' : 'your cost'} of ${bpsText(costBps)}`;
  const clear = clearingHorizonsS(setups, costBps).map((horizonS) => formatSpan(horizonS * 1000));
  if (clear.length === 0) return `At none of these horizons is the median move larger than ${cost}.`;
  return `The median move is larger than ${cost} at ${clear.join(', ')}.`;
}

/** The median spread of the last quotes; undefined: there are none. */
export function lastSpreadBps({ quotes }: Pick<TickSeries, 'quotes'>): number | undefined {
  if (quotes === undefined) return undefined;
  const { bids, asks } = quotes;
  const [Bid, Ask] = [bids.subarray(-MAX_TICKS), asks.subarray(-MAX_TICKS)];
  return medianSpreadBps(spreadsBps({ Bid, Ask }, Bid.length));
}
