import { grade } from '../grade.ts';
import type { Predicate } from '../Predicate.ts';

/** Fraction of the ticks sent that were removed because they lie before the last session gap: false at 0, true at 0.5. Known exactly. */
export const sessionGapCut: Predicate = {
  name: 'session_gap_cut',
  about: 'Ticks before a session gap were removed from the window.',
  unit: 'fraction of the ticks',
  numbers: ['ticks'],
  evaluate({ measures }) {
    const value = measures.ticks > 0 ? measures.ticksBeforeGap / measures.ticks : 0;
    const truth = grade(value, 0, 0.5);
    return { lower: truth, upper: truth, value, numbers: { ticks: measures.ticksBeforeGap } };
  },
};
