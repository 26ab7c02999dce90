import { STAMP_MALFORMED, type SubUnit, type TimeForm } from '../DateReader.ts';
import { timeOfDayUs } from '../TimestampParser.ts';

const CLOCK = /^\d{1,2}:\d\d(?::\d\d(?:[.:,]\d+)?)?(?:\s?[ap]\.?\s?m\.?)?(?:\s?(?:Z|UTC|GMT)?(?:[+-]\d\d:?(?:\d\d)?)?)$/i;
const DIGITS = /^\d{1,15}(?:[.,]\d+)?$/;
/** Fewer different seconds may all be below 60 by chance. */
const MIN_SECONDS = 20;
const encoder = new TextEncoder();

/**
 * Every form in which all values of a column are times of day, rows without a value aside. Several: nothing shows which it is, as for 52201,
 * which is 05:22:01 or 52201 s after midnight. Of many seconds none is above 59 only where they are written as a clock shows them.
 */
export function clockForms(texts: readonly string[]): readonly TimeForm[] {
  const values = texts.filter((text) => text !== '');
  if (values.length === 0 || values.length < 0.5 * texts.length) return [];
  const isMostly = (test: (text: string) => boolean): boolean => values.filter(test).length >= 0.95 * values.length;
  if (isMostly((text) => CLOCK.test(text) && Number(text.split(':')[0]) < 25)) return [{ kind: 'clock' }];
  if (!values.every((text) => DIGITS.test(text))) return [];
  const whole = values.map((text) => /^\d+/.exec(text)![0]);
  const longest = Math.max(...whole.map(({ length }) => length));
  const isPadded = whole.some((text) => text.length > 1 && text.startsWith('0'));
  const isFixed = whole.every(({ length }) => length === longest);
  const hasFraction = values.some((text) => /[.,]/.test(text));
  const clocks: TimeForm[] = [];
  const fits = (form: TimeForm): boolean => values.every((text) => isTime(text, form));
  for (const decimals of [0, 3, 6, 9]) {
    const form: TimeForm = { kind: 'packed', decimals };
    const isLong = longest > 4 + decimals || (isPadded && isFixed && longest === 6 + decimals);
    if (longest <= 6 + decimals && isLong && (decimals === 0 || !hasFraction) && fits(form)) clocks.push(form);
  }
  if (!hasFraction && longest >= 3 && longest <= 4) {
    // 3933 is 00:39:33 where it is not 39 hours.
    const form = [{ kind: 'minutes' } as const, { kind: 'packed', decimals: 0 } as const].find(fits);
    if (form !== undefined) clocks.push(form);
  }
  const units: readonly SubUnit[] = isPadded ? [] : ['s', 'ms', 'us', 'ns'];
  const elapsed = units
    .filter((unit, i) => longest > 3 * i + 2 && (unit === 's' || !hasFraction) && fits({ kind: 'elapsed', unit }))
    .map((unit): TimeForm => ({ kind: 'elapsed', unit }));
  const [clock] = clocks;
  if (clock === undefined) return elapsed;
  if (clocks.length > 1 || elapsed.length === 0) return [...clocks, ...elapsed];
  // Digits of seconds (or minutes) that were never above 59.
  const power = clock.kind === 'packed' ? 10 ** clock.decimals : 1;
  const seconds = new Set(whole.map((text) => Math.floor(Number(text) / power)));
  const spans = Math.max(...seconds) - Math.min(...seconds) >= 100;
  return spans && seconds.size >= MIN_SECONDS ? [clock] : [clock, ...elapsed];
}

function isTime(text: string, form: TimeForm): boolean {
  const bytes = encoder.encode(text);
  return timeOfDayUs(bytes, 0, bytes.length, form) > STAMP_MALFORMED;
}
