import { bpsText, percentText } from '../answer/describeAnswer.ts';
import { formatSpan } from '../ticks/timeText.ts';
import { rateOf, type Rate } from './curves.ts';
import type { ReplayedWindow } from './ReplayedWindow.ts';

/** How right the marks of one horizon and threshold were, next to what needs no network. */
export type LeadRow = {
  readonly horizonMs: number;
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
  /** The version was trained on the ticks of a window. */
  readonly isSeen: boolean;
};

type Window = Pick<ReplayedWindow, 'isMarked' | 'moveBps' | 'minMoveBps' | 'baselineProbability' | 'isSeen'>;
type Known = Window & { readonly moveBps: number; readonly minMoveBps: number };

const isKnown = (window: Window): window is Known => window.moveBps !== null && window.minMoveBps !== null;

export function leadRow(horizonMs: number, name: string, windows: readonly Window[]): LeadRow {
  const known = windows.filter(isKnown);
  const moved = (some: readonly Known[]): Rate =>
    rateOf(some.filter(({ moveBps, minMoveBps }) => Math.abs(moveBps) > minMoveBps).length, some.length);
  const marked = known.filter(({ isMarked }) => isMarked);
  const likeliest = known
    .filter(({ baselineProbability }) => baselineProbability !== null)
    .sort((a, b) => b.baselineProbability! - a.baselineProbability!);
  const thresholds = windows.flatMap(({ minMoveBps }) => minMoveBps ?? []).sort((a, b) => a - b);
  return {
    ...{ horizonMs, name, windows: known.length },
    thresholdBps: thresholds[thresholds.length >> 1] ?? null,
    hits: moved(marked),
    base: moved(known),
    ewma: moved(likeliest.slice(0, marked.length)),
    isSeen: windows.some(({ isSeen }) => isSeen),
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

/** Where marks came true more often than an average window moved, as far as the windows tell. */
export function leadText(rows: readonly LeadRow[]): string {
  const better = rows.filter(({ hits, base }) => hits.of >= FEW_MARKS && hits.interval90[0] > base.share);
  if (better.length === 0) return 'In no row did marks come true clearly more often than an average window moved.';
  const names = better.map(({ horizonMs, name }) => `${formatSpan(horizonMs)} (${name})`);
  return `Marks came true more often than an average window moved at ${names.join(', ')}.`;
}
