import { rowsBefore } from '../data/planRows.ts';
import type { TickSource } from '../data/TickSource.ts';

/** Fraction of the ticks of each group after its cut: the test data of a fine-tune. */
export const TEST_FRACTION = 0.3;
/** Embargo: seconds between the end of the last training label and the first test origin. */
export const EMBARGO_S = 600;

/**
 * The cut of each source, microseconds: the given fraction of the ticks of its group is after it. Sources of one group have the same cut,
 * so that none trains on the test time of another.
 */
export function cutTimes(sources: readonly TickSource[], testFraction = TEST_FRACTION): number[] {
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
      if (before < (1 - testFraction) * total) low = middle;
      else high = middle;
    }
    byGroup.set(group, high);
    return high;
  });
}
