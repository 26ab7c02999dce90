import { US_PER_SECOND } from '../../core/units.ts';
import { STAMP_MALFORMED, STAMP_NOT_A_TIME, type SubUnit, type TimeForm } from './DateReader.ts';

const [BLANK, COMMA, POINT, ZERO] = [32, 44, 46, 48];
const DAY_US = 86_400 * US_PER_SECOND;

const US_OF: Readonly<Record<SubUnit, number>> = { s: 1e6, ms: 1e3, us: 1, ns: 1e-3 };

/** A time of day in digits, to microseconds since midnight, or a fault. */
export function timeOfDayUs(bytes: Uint8Array, from: number, to: number, form: TimeForm): number {
  let value = 0;
  let at = from;
  while (bytes[at] === BLANK) at++;
  const first = at;
  for (; at < to; at++) {
    const digit = bytes[at] - ZERO;
    if (digit >>> 0 > 9) break;
    value = value * 10 + digit;
  }
  if (at === first || at - first > 15) return STAMP_MALFORMED;
  let fraction = 0;
  if (at < to && (bytes[at] === POINT || bytes[at] === COMMA)) {
    let scale = 1e6;
    for (at++; at < to; at++) {
      const digit = bytes[at] - ZERO;
      if (digit >>> 0 > 9) break;
      scale /= 10;
      if (scale >= 1) fraction += digit * Math.round(scale);
    }
  }
  while (at < to && bytes[at] === BLANK) at++;
  if (at < to) return STAMP_MALFORMED;
  if (form.kind === 'elapsed') {
    const us =
      form.unit === 'ns'
        ? Math.floor(value / 1000)
        : value * US_OF[form.unit] + (form.unit === 's' ? fraction : Math.floor((fraction * US_OF[form.unit]) / 1e6));
    return us < DAY_US ? us : STAMP_NOT_A_TIME;
  }
  const power = form.kind === 'packed' ? 10 ** form.decimals : 1;
  const clock = form.kind === 'minutes' ? value * 100 : Math.floor(value / power);
  const [hour, minute, second] = [Math.floor(clock / 10_000), Math.floor(clock / 100) % 100, clock % 100];
  if (hour > 23 || minute > 59 || second > 59) return STAMP_NOT_A_TIME;
  const inlineUs = form.kind === 'packed' && form.decimals > 0 ? Math.floor(((value % power) * 1e6) / power) : 0;
  return (hour * 3600 + minute * 60 + second) * US_PER_SECOND + inlineUs + fraction;
}
