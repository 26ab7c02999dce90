import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** Fewest changes of the window. */
const MIN_CHANGES = 40;

/**
 * Share of the window's ticks that brought the price of the tick before: false at 0.5, true at 0.9; standard error sqrt(p (1 - p) / n). Many say that
 * the price lies on a coarse grid, where small moves do not show. Unit: share.
 */
export const unchangedTicks: Predicate = {
  name: 'unchanged_ticks',
  about: 'Most ticks have the same price as the tick before.',
  unit: 'fraction',
  numbers: [],
  judge({ path: { window } }) {
    const { changes, ups, downs } = window;
    if (changes < MIN_CHANGES) return UNKNOWN;
    const value = (changes - ups - downs) / changes;
    const slack = Math.sqrt((value * (1 - value)) / changes);
    return { lower: grade(value - slack, 0.5, 0.9), upper: grade(value + slack, 0.5, 0.9), value };
  },
};
