import { groupBy } from '../../src/core/groupBy.ts';
import { US_PER_SECOND } from '../../src/core/units.ts';
import type { RowSet } from '../data/RowSet.ts';
import type { TickSource } from '../data/TickSource.ts';
import { rowsBefore } from '../data/planRows.ts';

/** Fraction of the ticks of each group after its cut: the test data of a fine-tune. */
export const TEST_FRACTION = 0.3;
/** Embargo: seconds between the end of the last training label and the first test origin. */
export const EMBARGO_S = 600;

/**
 * The cut of each source, microseconds: that fraction of the ticks of its group is after it. Sources of one group have the same cut,
 * so that none trains on the test time of another.
 */
export function cutTimes(sources: readonly TickSource[]): number[] {
  const byGroup = new Map<string, number>();
  return sources.map(({ group }) => {
    const known = byGroup.get(group);
    if (known !== undefined) return known;
    const members = sources.filter((source) => source.group === group);
    const total = members.reduce((sum, { file }) => sum + file.rows, 0);
    let low = Math.min(...members.map(({ firstUs }) => firstUs));
    let high = Math.max(...members.map(({ lastUs }) => lastUs));
    // Rounded down to the millisecond.
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2);
      const before = members.reduce((sum, source) => sum + rowsBefore(source, middle), 0);
      if (before < (1 - TEST_FRACTION) * total) low = middle;
      else high = middle;
    }
    byGroup.set(group, high);
    return high;
  });
}

/** Fraction of the training rows of each group, the last ones, used only for early stopping, calibration and thresholds. */
const VALIDATION_FRACTION = 0.15;

export type ValidationSplit = { readonly training: Int32Array; readonly validation: Int32Array };

/**
 * Splits rows in time within each group: the last fraction is for validation; a training row is dropped if its label ends within the
 * embargo before the first validation origin. The embargo is shorter for a short span, so that it leaves rows of a group of a few minutes.
 */
export function splitValidation(rows: RowSet, index: Int32Array, groupOf: (instrument: number) => string): ValidationSplit {
  const members = groupBy(index, (row) => groupOf(rows.instrument[row]));
  const training: number[] = [];
  const validation: number[] = [];
  for (const list of members.values()) {
    const times = list.map((row) => rows.originUs[row] as number).sort((a, b) => a - b);
    const cutUs = times[Math.floor((1 - VALIDATION_FRACTION) * times.length)] ?? Infinity;
    const spanS = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / US_PER_SECOND;
    const embargoS = Math.min(EMBARGO_S, 0.02 * spanS);
    for (const row of list) {
      const originUs = rows.originUs[row] as number;
      if (originUs >= cutUs) validation.push(row);
      else if (originUs + ((rows.horizonS[row] as number) + embargoS) * US_PER_SECOND < cutUs) training.push(row);
    }
  }
  return { training: Int32Array.from(training).sort(), validation: Int32Array.from(validation).sort() };
}
