import { rowsBefore } from '../data/planRows.ts';
import type { TickSource } from '../data/TickSource.ts';

/** Share of each group's ticks that lies after its cut: what a fine-tune is judged on. */
export const TEST_SHARE = 0.3;
/** Seconds that stay empty between the end of the last training label and the first test origin. */
export const EMBARGO_S = 600;

/**
 * One moment a source, microseconds: this share of the ticks of its group lies after it. Sources of one group share the moment, so that
 * none trains on what another is judged by.
 */
export function cutTimes(sources: readonly TickSource[], testShare = TEST_SHARE): number[] {
  const byGroup = new Map<string, number>();
  return sources.map(({ group }) => {
    const known = byGroup.get(group);
    if (known !== undefined) return known;
    const members = sources.filter((source) => source.group === group);
    const total = members.reduce((sum, { file }) => sum + file.rows, 0);
    let low = Math.min(...members.map(({ firstUs }) => firstUs));
    let high = Math.max(...members.map(({ lastUs }) => lastUs));
    // Down to the millisecond.
    while (high - low > 1000) {
      const middle = Math.floor((low + high) / 2);
      const before = members.reduce((sum, source) => sum + rowsBefore(source, middle), 0);
      if (before < (1 - testShare) * total) low = middle;
      else high = middle;
    }
    byGroup.set(group, high);
    return high;
  });
}
