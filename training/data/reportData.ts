import { US_PER_MS, US_PER_SECOND } from '../../src/core/units.ts';
import type { TickSource } from './TickSource.ts';

/** Figures of a source that a dry run prints. */
export type SourceReport = {
  readonly name: string;
  readonly group: string;
  readonly rows: number;
  /** ISO 8601, UTC, milliseconds. */
  readonly from: string;
  readonly to: string;
  readonly spanHours: number;
  /** Median gap between two different timestamps, seconds. */
  readonly medianGapS: number;
  /** Fraction of ticks with the timestamp of the previous tick, in ms. */
  readonly equalTimestampFraction: number;
  /** UTC days with ticks. */
  readonly days: number;
  /** True if all prices are equal: there is nothing to learn. */
  readonly constant: boolean;
};

export function describeSources(sources: readonly TickSource[]): SourceReport[] {
  return sources.map(({ name, group, file, firstUs, lastUs, days, stats }) => ({
    name,
    group,
    rows: file.rows,
    from: isoOf(firstUs),
    to: isoOf(lastUs),
    spanHours: (lastUs - firstUs) / US_PER_SECOND / 3600,
    ...stats,
    days: days.length,
  }));
}

const isoOf = (us: number): string => new Date(Math.floor(us / US_PER_MS)).toISOString();
