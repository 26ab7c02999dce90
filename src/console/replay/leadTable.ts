import { bpsText, percentText } from '../answer/describeAnswer.ts';
import { formatSpan } from '../ticks/timeText.ts';
import { rateOf, type Rate } from './curves.ts';
import { wilsonInterval } from '../../engine/scoring/wilsonInterval.ts';
import type { FormOptions } from '../FormOptions.ts';
import type { ReplayedWindow } from './ReplayedWindow.ts';
import type { ReplayPlan } from './ReplayRun.ts';
import { medianSpreadBps, spreadsBps } from '../../ticks/tickColumns.ts';
import { MAX_TICKS, type TickSeries } from '../ticks/TickSeries.ts';

/** How right the marks of one horizon and threshold were, next to what needs no network. */
export type LeadRow = {
  readonly horizonMs: number;
  /** Of each window. */
  readonly ticks: number;
  /** Whose threshold it is, in words. */
  readonly name: string;
  /** Median threshold; null: no window has one. */
  readonly thresholdBps: number | null;
  /** Windows with a known outcome. */
  readonly windows: number;
  /** Of the marks, those that came true. */
  readonly hits: Rate;
  /** Of all windows. */
  readonly base: Rate;
  /** Of as many windows as marks, those with the highest probability by EWMA volatility alone. */
  readonly ewma: Rate;
  /** Median size of the move within the horizon, basis points; null: no window has an outcome. */
  readonly medianMoveBps: number | null;
  /** The version was trained on the ticks of all windows; otherwise only the others count. */
  readonly isSeen: boolean;
};

type Window = Pick<ReplayedWindow, 'isMarked' | 'moveBps' | 'minMoveBps' | 'baselineProbability' | 'isSeen'>;
type Known = Window & { readonly moveBps: number; readonly minMoveBps: number };

const isKnown = (window: Window): window is Known => window.moveBps !== null && window.minMoveBps !== null;

/** Whose threshold a number of basis points is. */
export const thresholdName = (minMoveBps: FormOptions['minMoveBps']): string =>
  minMoveBps === undefined ? 'by volatility' : minMoveBps === 'cost' ? 'the spread' : 'your cost';

export function leadRow({ horizonMs, count }: Pick<ReplayPlan, 'horizonMs' | 'count'>, name: string, windows: readonly Window[]): LeadRow {
  const fresh = windows.filter(({ isSeen }) => !isSeen);
  const isSeen = fresh.length === 0 && windows.length > 0;
  const known = (isSeen ? windows : fresh).filter(isKnown);
  const moved = (some: readonly Known[]): Rate =>
    rateOf(some.filter(({ moveBps, minMoveBps }) => Math.abs(moveBps) > minMoveBps).length, some.length);
  const marked = known.filter(({ isMarked }) => isMarked);
  const likeliest = known
    .filter(({ baselineProbability }) => baselineProbability !== null)
    .sort((a, b) => b.baselineProbability! - a.baselineProbability!);
  const median = (values: readonly number[]): number | null => values.toSorted((a, b) => a - b)[values.length >> 1] ?? null;
  return {
    ...{ horizonMs, ticks: count, name, windows: known.length, isSeen },
    thresholdBps: median(windows.flatMap(({ minMoveBps }) => minMoveBps ?? [])),
    medianMoveBps: median(known.map(({ moveBps }) => Math.abs(moveBps))),
    hits: moved(marked),
    base: moved(known),
    ewma: moved(likeliest.slice(0, marked.length)),
  };
}

/** Fewer marks say nothing, whatever their interval. */
const FEW_MARKS = 10;

export const LEAD_HEAD = ['Horizon', 'Threshold', 'Marks', 'Came true (90 % interval)', 'Base rate', 'EWMA, as many'] as const;

const shareText = ({ of, share }: Rate): string => (of === 0 ? '–' : percentText(share));

export function leadCells({ horizonMs, name, thresholdBps, windows, hits, base, ewma, isSeen }: LeadRow): string[] {
  const [low, high] = hits.interval90;
  return [
    formatSpan(horizonMs) + (isSeen ? ', in sample' : ''),
    thresholdBps === null ? name : `${bpsText(thresholdBps)}, ${name}`,
    `${hits.of} of ${windows}`,
    hits.of === 0 ? '–' : `${percentText(hits.share)} (${percentText(low)} to ${percentText(high)})`,
    shareText(base),
    shareText(ewma),
  ];
}

/** 99 %, both sides: of up to ten rows, one would often be better by chance at 90 %. */
const Z = 2.5758;

/** Where marks came true more often than an average window moved, as far as the windows tell. */
export function leadText(rows: readonly LeadRow[]): string {
  const better = rows.filter(({ hits, base }) => hits.of >= FEW_MARKS && wilsonInterval(hits.count, hits.of, Z)[0] > base.share);
  if (better.length === 0) return 'In no row did marks come true clearly more often than an average window moved.';
  const names = better.map(({ horizonMs, name }) => `${formatSpan(horizonMs)} (${name})`);
  return `Marks came true more often than an average window moved at ${names.join(', ')}.`;
}

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
