import { US_PER_MS, US_PER_SECOND } from '../core/units.ts';
import { MAX_YEAR } from './parseTimestampUs.ts';

const END_US = Date.UTC(MAX_YEAR + 1, 0, 1) * US_PER_MS;

/**
 * Formats a time as `YYYY-MM-DD HH:MM:SS.fff`, UTC, which `parseTimestampUs` reads.
 *
 * @param us integer microseconds, years 1970 to 2199
 * @param digits digits of fraction, 0 to 6; further digits are cut, not rounded, so that a timestamp never moves forward
 * @throws RangeError if an argument is out of range
 */
export function formatTimestamp(us: number, digits = 3): string {
  if (!Number.isInteger(us) || us < 0 || us >= END_US) throw new RangeError(`formatTimestamp: ${us} us`);
  if (!Number.isInteger(digits) || digits < 0 || digits > 6) throw new RangeError(`formatTimestamp: ${digits} digits`);
  const second = Math.floor(us / US_PER_SECOND);
  const text = new Date(second * 1000).toISOString();
  const whole = `${text.slice(0, 10)} ${text.slice(11, 19)}`;
  if (digits === 0) return whole;
  const fraction = String(us - second * US_PER_SECOND).padStart(6, '0');
  return `${whole}.${fraction.slice(0, digits)}`;
}
