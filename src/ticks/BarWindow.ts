import type { BarTime } from '../core/barTime.ts';

/**
 * What a window of bars has next to its closes. In the series of its request, times are the ends of the bars and prices their closes, so a
 * close counts when its bar has ended, never at its start.
 */
export type BarWindow = {
  /** From the stamps: a bar lasts so many milliseconds. Bars may be missing. */
  readonly periodMs: number;
  /** What the timestamps were read as, if a caller said it. */
  readonly barTime?: BarTime;
  /** One for each close; absent: only closes are known. low <= open, close <= high. */
  readonly ranges?: Ranges;
};

/** A number for each bar. */
export type Ranges = { readonly open: Float64Array; readonly high: Float64Array; readonly low: Float64Array };

export const mapRanges = ({ open, high, low }: Ranges, change: (list: Float64Array) => Float64Array): Ranges => ({
  ...{ open: change(open), high: change(high), low: change(low) },
});

/** The bars from an index on. */
export function barsFrom({ periodMs, ranges }: BarWindow, from: number): BarWindow {
  return ranges === undefined ? { periodMs } : { periodMs, ranges: mapRanges(ranges, (list) => list.subarray(from)) };
}
