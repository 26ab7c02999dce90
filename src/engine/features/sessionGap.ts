import { MS_PER_SECOND } from '../../core/units.ts';

/** No gap up to half an hour, or up to 50 median gaps, ends a session. */
const MIN_SESSION_GAP_S = 1800;
const SESSION_GAP_IN_MEDIANS = 50;

/**
 * A gap longer than this many seconds ends a session. `medianGapS`: over distinct timestamps. `barPeriodMs`: of bars, for which it is half an hour
 * without a bar.
 */
export function sessionGapS(medianGapS: number, barPeriodMs = 0): number {
  if (barPeriodMs > 0) return MIN_SESSION_GAP_S + barPeriodMs / MS_PER_SECOND;
  return Math.max(MIN_SESSION_GAP_S, SESSION_GAP_IN_MEDIANS * medianGapS);
}
