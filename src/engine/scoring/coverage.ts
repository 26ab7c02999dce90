import { overlapInterval } from './wilsonInterval.ts';

/** Ranges of one level whose outcome is known. Counts, so that they can be added up. */
export type Coverage = {
  readonly level: number;
  readonly outcomes: number;
  /** Of the outcomes: moves within the range. */
  readonly covered: number;
  /** Sum over the outcomes of the number of forecasts whose horizons contain one moment, this one included. */
  readonly overlapSum: number;
};

/** 99.5 % quantile of the normal distribution, as for the other intervals of a track record. */
const Z = 2.5758;

/** Adds counts up by level, in order. */
export function addCoverage(...lists: readonly (readonly Coverage[])[]): readonly Coverage[] {
  const sums = new Map<number, Coverage>();
  for (const one of lists.flat()) {
    const { level, outcomes, covered, overlapSum } = sums.get(one.level) ?? { ...one, outcomes: 0, covered: 0, overlapSum: 0 };
    sums.set(level, {
      level,
      outcomes: outcomes + one.outcomes,
      covered: covered + one.covered,
      overlapSum: overlapSum + one.overlapSum,
    });
  }
  return [...sums.values()].sort((a, b) => a.level - b.level);
}

/** The fraction of moves within the range, and its 99 % interval: outcomes of overlapping horizons count as one. */
export function coverageShare({ outcomes, covered, overlapSum }: Coverage): {
  readonly share: number;
  readonly interval: [number, number];
} {
  return { share: covered / outcomes, interval: overlapInterval(covered, outcomes, overlapSum, Z) };
}
