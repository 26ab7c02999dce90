import { grade } from '../grade.ts';
import type { Predicate } from '../Predicate.ts';

/** Fewer distinct ticks make the estimates imprecise; with fewer than 40 there is no forecast. */
export const FEW_DISTINCT_TICKS = 80;
const TOO_FEW = 40;

/** Distinct timestamps after the last session gap: true at 40, false at 80. Known exactly. Unit: ticks. */
export const fewDistinctTicks: Predicate = {
  name: 'few_distinct_ticks',
  about: 'The window has few distinct ticks.',
  unit: 'ticks',
  numbers: [],
  evaluate({ measures }) {
    const truth = grade(measures.distinctTicks, FEW_DISTINCT_TICKS, TOO_FEW);
    return { lower: truth, upper: truth, value: measures.distinctTicks };
  },
};
