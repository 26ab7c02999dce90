import { US_PER_SECOND } from '../../core/units.ts';
import { MAX_YEAR, US_PER_DAY } from '../timestamps.ts';
import { type EpochUnit, STAMP_MALFORMED, STAMP_NOT_A_TIME, STAMP_OTHER_UNIT, type TimeForm, US_OF } from './DateReader.ts';

const [BLANK, COMMA, POINT, ZERO] = [32, 44, 46, 48];

/** 100 ns from the year 1 and from 1601 to 1970, in units of 10^9, and microseconds from 1970 to 2000 and from 1899-12-30 to 1970. */
const [DOTNET_1970, FILETIME_1970, KDB_US, EXCEL_US] = [621_355_968, 116_444_736, 946_684_800e6, 25_569 * US_PER_DAY];

/** Unit of an epoch number by its size: seconds from 1973 to 5138 have 9 to 11 digits, and so on by thousands. */
function epochUnit(value: number): EpochUnit | undefined {
  if (!(value >= 1e8) || value >= 7.3e18) return undefined;
  return value < 1e11 ? 's' : value < 1e14 ? 'ms' : value < 1e17 ? 'us' : 'ns';
}

/** An epoch number, whole or with a decimal fraction, to whole microseconds (cut). */
export function epochUs(bytes: Uint8Array, from: number, to: number, unit: EpochUnit): number {
  if (unit === 'excel') return excelUs(bytes, from, to);
  let value = 0;
  let at = from;
  // 16 digits fit a double; of nanoseconds the last three are below a microsecond anyway.
  let dropped = 1;
  // Of 18 digits, those beyond the last nine.
  let high = 0;
  let low = 0;
  for (; at < to; at++) {
    const digit = bytes[at] - ZERO;
    if (digit >>> 0 > 9) break;
    if (at - from < 9) high = high * 10 + digit;
    else low = low * 10 + digit;
    if (at - from < 16) value = value * 10 + digit;
    else dropped *= 10;
  }
  if (at === from || at - from > 19) return STAMP_MALFORMED;
  if (at === from + 1 && to > at + 1) return scientificUs(bytes, from, to, unit);
  if (unit === 'dotnet' || unit === 'filetime' || unit === 'kdb') {
    if (at < to) return STAMP_MALFORMED;
    if (at - from !== 18) return STAMP_OTHER_UNIT;
    if (unit === 'kdb') return high * 1e6 + Math.floor(low / 1000) + KDB_US;
    return (high - (unit === 'dotnet' ? DOTNET_1970 : FILETIME_1970)) * 1e8 + Math.floor(low / 10);
  }
  if (epochUnit(value * dropped) !== unit) return STAMP_OTHER_UNIT;
  const factor = US_OF[unit] * dropped;
  let us = factor < 1 ? Math.floor(value / Math.round(1 / factor)) : value * Math.round(factor);
  if (at === to) return us <= (MAX_YEAR - 1969) * 366 * US_PER_DAY ? us : STAMP_NOT_A_TIME;
  if (bytes[at] !== POINT && bytes[at] !== COMMA) return STAMP_MALFORMED;
  let scale = US_OF[unit];
  for (at++; at < to; at++) {
    const digit = bytes[at] - ZERO;
    if (digit >>> 0 > 9) return STAMP_MALFORMED;
    scale /= 10;
    if (scale >= 1) us += digit * Math.round(scale);
  }
  return us;
}

/** 1.704810600495e+12, as programs write large numbers. */
function scientificUs(bytes: Uint8Array, from: number, to: number, unit: EpochUnit): number {
  const text = new TextDecoder().decode(bytes.subarray(from, Math.min(to, from + 40)));
  const [, first, digits = '', power] = /^(\d)(?:[.,](\d+))?e\+?(\d{1,2})$/i.exec(text) ?? [];
  if (first === undefined) return STAMP_MALFORMED;
  const places = Number(power);
  const plain = first + digits.slice(0, places).padEnd(places, '0') + (digits.length > places ? `.${digits.slice(places)}` : '');
  return epochUs(new TextEncoder().encode(plain), 0, plain.length, unit);
}

/** Days since 1899-12-30. Eight decimals hold a millisecond: what they round is rounded back. */
function excelUs(bytes: Uint8Array, from: number, to: number): number {
  const text = new TextDecoder().decode(bytes.subarray(from, Math.min(to, from + 40)));
  const match = /^(\d{5})[.,](\d{8,})$/.exec(text);
  if (match === null) return STAMP_MALFORMED;
  const dayUs = Number(`0.${match[2]}`) * US_PER_DAY;
  const ms = Math.round(dayUs / 1000) * 1000;
  // A double holds such a number to less than 1 µs, so a millisecond may come out 1 µs off.
  const us = match[2].length < 11 || Math.abs(dayUs - ms) < 2 ? ms : Math.round(dayUs);
  return Number(match[1]) * US_PER_DAY - EXCEL_US + us;
}

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
    return us < US_PER_DAY ? us : STAMP_NOT_A_TIME;
  }
  const power = form.kind === 'packed' ? 10 ** form.decimals : 1;
  const clock = form.kind === 'minutes' ? value * 100 : Math.floor(value / power);
  const [hour, minute, second] = [Math.floor(clock / 10_000), Math.floor(clock / 100) % 100, clock % 100];
  if (hour > 23 || minute > 59 || second > 59) return STAMP_NOT_A_TIME;
  const inlineUs = form.kind === 'packed' && form.decimals > 0 ? Math.floor(((value % power) * 1e6) / power) : 0;
  return (hour * 3600 + minute * 60 + second) * US_PER_SECOND + inlineUs + fraction;
}
