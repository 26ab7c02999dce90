import { BPS_PER_UNIT, US_PER_MS, type TickSeries } from '../ticks/TickSeries.ts';
import type { Outcome } from '../ticks/labelOutcome.ts';
import type { ForecastDetail } from '../../contract/forecastDetail.ts';

/** A range of a forecast as it is drawn: the price is expected within at `toMs`. */
export type Cone = {
  /** Its probability. */
  readonly level: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly price: number;
  readonly low: number;
  readonly high: number;
  /** Whether the price was within at the future time; null: not known yet. */
  readonly isHeld: boolean | null;
};

/** A forecast that was marked: a move over the threshold is expected until `toMs`. */
export type ChartMark = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly price: number;
  /** Of its horizon. */
  readonly name: string;
  readonly minMoveBps: number | null;
  /** Whether such a move came; null: pending, undefined: that will not be known. */
  readonly came: boolean | null | undefined;
};

/** What a chart shows. Indices are of the series, times in milliseconds. */
export type Scene = {
  readonly series: TickSeries;
  readonly from: number;
  /** The last tick that is known; the future begins there. */
  readonly last: number;
  /** Of the future. */
  readonly horizonMs: number;
  /** What is shown before the last tick until somebody zooms; beyond the first tick nothing is drawn. */
  readonly spanMs: number;
  /** First ticks after gaps: no line leads to them. */
  readonly breaks: readonly number[];
  /** Half the width of the threshold band; null: not known. */
  readonly minMoveBps: number | null;
  /** What moves are counted from, so that the band stands around it. */
  readonly bandPrice: number;
  /** Whether the future time is marked; undefined: not answered. */
  readonly isMarked: boolean | undefined;
  /** Of the forecast, widest first. */
  readonly cones: readonly Cone[];
  /** Whether all prices until the future time stay within the cones; else only the last one is within. */
  readonly isReach?: boolean;
  /** A price that can be moved, and what is said of it; absent: there is none. */
  readonly level?: { readonly price: number; readonly chance: string; readonly text: string };
  readonly outcome: Outcome;
  /** Earlier forecasts from one tick to another; absent: none are drawn. */
  readonly earlier?: (from: number, to: number) => Earlier;
};

export type Earlier = {
  /** Their widest ranges. */
  readonly cones: readonly Cone[];
  /** Newest first. */
  readonly marks: readonly ChartMark[];
};

export const msOf = ({ timesUs }: TickSeries, at: number): number => timesUs[at] / US_PER_MS;

/** Prices that a move of so many basis points from a price leads to. */
export function bandAround(price: number, bps: number): readonly [low: number, high: number] {
  const move = bps / BPS_PER_UNIT;
  return [price * Math.exp(-move), price * Math.exp(move)];
}

/** Lower and upper edge of the band: beyond them a move is larger than the threshold. */
export const bandOf = ({ minMoveBps, bandPrice }: Pick<Scene, 'minMoveBps' | 'bandPrice'>): readonly [low: number, high: number] | null =>
  minMoveBps === null ? null : bandAround(bandPrice, minMoveBps);

/** Probabilities of the ranges that the chart draws into the future. */
export const CONE_LEVELS = [0.5, 0.8, 0.9] as const;

/** The ranges of an answer that end within what the model knows, widest first. */
export const conesOf = (
  range: NonNullable<ForecastDetail['range']>,
  { fromMs, toMs, price }: Pick<Cone, 'fromMs' | 'toMs' | 'price'>,
): Cone[] =>
  range
    .flatMap(({ level, low, high }) => (low === null || high === null ? [] : [{ level, fromMs, toMs, price, low, high, isHeld: null }]))
    .toSorted((a, b) => b.level - a.level);
