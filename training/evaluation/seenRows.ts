import { US_PER_SECOND } from '../../src/core/units.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { DayFingerprint } from '../data/dayFingerprints.ts';
import type { TickSource } from '../data/TickSource.ts';

/** The training data of a version, from its lineage. */
export type SeenSpan = {
  readonly fileSha256: string;
  readonly fromUs: number;
  readonly toUs: number;
  readonly days: readonly { readonly day: string; readonly sha256: string }[];
};

/**
 * 1 for rows whose origin or label is in ticks that a version was trained on: the same file, or the same ticks of a day under any name and
 * format, within the training span.
 */
export function seenRows(rows: RowSet, sources: readonly TickSource[], spans: readonly SeenSpan[]): Uint8Array {
  const ofSource = sources.map(({ file, days }) => seenPeriods({ fileSha256: file.sha256, days }, spans));
  return Uint8Array.from({ length: rows.count }, (_, row) => {
    const fromUs = rows.originUs[row] as number;
    const toUs = fromUs + (rows.horizonS[row] as number) * US_PER_SECOND;
    return (ofSource[rows.instrument[row] as number] ?? []).some((seen) => fromUs <= seen.toUs && toUs >= seen.fromUs) ? 1 : 0;
  });
}

/** The parts of one file that a version was trained on. */
export function seenPeriods(
  { fileSha256, days }: { readonly fileSha256: string; readonly days: readonly DayFingerprint[] },
  spans: readonly SeenSpan[],
): { fromUs: number; toUs: number }[] {
  return spans.flatMap((span) => {
    if (span.fileSha256 === fileSha256) return [{ fromUs: span.fromUs, toUs: span.toUs }];
    const hashes = new Set(span.days.map(({ sha256 }) => sha256));
    return days
      .filter(({ sha256 }) => hashes.has(sha256))
      .map(({ fromUs, toUs }) => ({ fromUs: Math.max(fromUs, span.fromUs), toUs: Math.min(toUs, span.toUs) }))
      .filter(({ fromUs, toUs }) => fromUs <= toUs);
  });
}
