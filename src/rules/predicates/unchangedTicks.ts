import { grade } from '../grade.ts';
import { UNKNOWN, type Predicate } from '../Predicate.ts';

/** Minimum of changes in the window. */
const MIN_CHANGES = 40;

/**
 * Fraction of the window's ticks with the price of the tick before: false at 0.5, true at 0.9; standard error sqrt(p (1 - p) / n). A large
 * fraction means a coarse price grid, which hides small moves. Unit: fraction.
 */
export const unchangedTicks: Predicate = {
  name: 'unchanged_ticks',
  about: 'Most ticks have the same price as the tick before.',
  unit: 'fraction',
  numbers: [],
  evaluate({ path: { window } }) {
    const { changes, ups, downs } = window;
    if (changes < MIN_CHANGES) return UNKNOWN;
    const value = (changes - ups - downs) / changes;
    const slack = Math.sqrt((value * (1 - value)) / changes);
    return { lower: grade(value - slack, 0.5, 0.9), upper: grade(value + slack, 0.5, 0.9), value };
  },
};
