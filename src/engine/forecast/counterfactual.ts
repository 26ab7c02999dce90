import { MOVES_BPS } from '../../contract/forecastOptions.ts';
import { BPS_PER_UNIT } from '../../core/units.ts';

/** Distance in ln(theta) from the threshold where the answer changes; above the error of rounding to six digits. */
const CLEARANCE = 1e-5;

/**
 * The threshold in basis points, rounded to six digits, that is just beyond `logTheta` (ln of log price): above it for a mark, where the
 * answer is null, and below it for a null, where it is a mark. Null if a caller cannot send it.
 */
export function beyond(logTheta: number, marked: boolean): number | null {
  const bps = Number((Math.exp(logTheta + (marked ? CLEARANCE : -CLEARANCE)) * BPS_PER_UNIT).toPrecision(6));
  return bps > MOVES_BPS.maximum ? null : bps;
}
