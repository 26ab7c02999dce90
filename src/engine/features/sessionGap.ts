/** No gap up to half an hour, or up to 50 median gaps, ends a session. */
const MIN_SESSION_GAP_S = 1800;
const SESSION_GAP_IN_MEDIANS = 50;

/** A gap longer than this many seconds ends a session. `medianGapS`: over distinct timestamps. */
export function sessionGapS(medianGapS: number): number {
  return Math.max(MIN_SESSION_GAP_S, SESSION_GAP_IN_MEDIANS * medianGapS);
}
