import { US_PER_MS, US_PER_SECOND } from '../../src/core/units.ts';
import type { TickSource } from './TickSource.ts';

/** What a dry run says of a source before anything is trained. */
export type SourceReport = {
  readonly name: string;
  readonly group: string;
  readonly rows: number;
  /** ISO 8601, UTC, milliseconds. */
  readonly from: string;
  readonly to: string;
  readonly spanHours: number;
  /** Between two different stamps, seconds. */
  readonly medianGapS: number;
  /** Share of ticks with the stamp of the tick before, stamps cut to ms. */
  readonly equalStampShare: number;
  /** UTC days with ticks. */
  readonly days: number;
  /** Every price is the same: nothing can be learned from it. */
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
