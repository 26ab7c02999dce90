import type { ForecastDetail } from '../../contract/forecastDetail.ts';
import { BPS_PER_UNIT, US_PER_MS, type TickSeries } from '../ticks/TickSeries.ts';
import type { ChartRange } from './ranges.ts';
import type { Outcome } from '../ticks/labelOutcome.ts';

type Level = ForecastDetail['levels'][number];

/** One window as it is drawn. Indices are of the series. */
export type ChartView = {
  readonly series: TickSeries;
  readonly from: number;
  /** The last tick sent. */
  readonly origin: number;
  readonly horizonMs: number;
  /** Half the width of the band; null: not known yet. */
  readonly minMoveBps: number | null;
  readonly levels: readonly Level[];
  /** Widest first; empty: not known. */
  readonly ranges: readonly ChartRange[];
  /** undefined: not answered, or for other settings. */
  readonly mark: 1 | null | undefined;
  readonly outcome: Outcome;
};

/** In milliseconds, as the horizontal axis has them. */
export type ChartTimes = {
  readonly first: number;
  readonly last: number;
  readonly entry: number;
  readonly future: number;
  readonly end: number;
};

const ENTRY_DELAY_MS = 1000;

/**
 * Where the chart ends: at the future time; where that lies far beyond the window and nothing is known of it, one length of the window after the
 * last tick, so that the ticks keep half of the picture.
 */
export function timesOf({ series, from, origin, horizonMs, outcome }: ChartView): ChartTimes {
  const first = series.timesUs[from]! / US_PER_MS;
  const last = series.timesUs[origin]! / US_PER_MS;
  const future = last + horizonMs;
  const end = outcome.status === 'known' ? future : Math.min(future, last + Math.max(last - first, 1000));
  return { first, last, entry: last + ENTRY_DELAY_MS, future, end };
}

/** The price that the band stands around: the entry's where it is known, else the last one sent. */
function referencePrice({ series, origin, outcome }: ChartView): number {
  const at = outcome.status === 'known' && outcome.entry !== null ? outcome.entry : origin;
  return series.prices[at]!;
}

/** Lower and upper edge of the band: beyond them a move is larger than the threshold. */
export function bandOf(view: ChartView): readonly [number, number] | null {
  if (view.minMoveBps === null) return null;
  const reference = referencePrice(view);
  const share = view.minMoveBps / BPS_PER_UNIT;
  return [reference * Math.exp(-share), reference * Math.exp(share)];
}

const COLOUR_NAMES = [
  'ink',
  'soft',
  'grid',
  'edge',
  'card',
  'price',
  'after',
  'support',
  'resistance',
  'band',
  'range',
  'mark',
  'ground',
] as const;

export type Colours = Readonly<Record<(typeof COLOUR_NAMES)[number], string>>;

/** The colours of the present scheme as a canvas takes them: `light-dark()` is resolved by an element that wears them. */
export const readColours = (): Colours => coloursOf(COLOUR_NAMES);

export function coloursOf<Name extends string>(names: readonly Name[]): Readonly<Record<Name, string>> {
  const probe = document.createElement('span');
  probe.hidden = true;
  document.body.append(probe);
  const read = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(names.map((name) => [name, read(name)]));
  probe.remove();
  return colours as Record<Name, string>;
}
