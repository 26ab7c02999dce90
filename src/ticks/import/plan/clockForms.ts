import { STAMP_MALFORMED, type TimeForm } from '../DateReader.ts';
import { sampleBytes } from '../sampleBytes.ts';
import { timeOfDayUs } from '../digitTimes.ts';

/** Kdb writes 0D before a time of day. */
const CLOCK = /^(?:0D)?\d{1,2}:\d\d(?::\d\d(?:[.:,]\d+)?)?(?:\s?[ap]\.?\s?m\.?)?(?:\s?(?:Z|UTC|GMT)?(?:[+-]\d\d:?(?:\d\d)?)?)$/i;
const DIGITS = /^\d{1,15}(?:[.,]\d+)?$/;
/** Fewer different seconds may all be below 60 by chance. */
const MIN_SECONDS = 20;

/** The forms of digits, each with the most of them that it has, and its name in `--columns clock=`. */
const CLOCK_FORMS: readonly { readonly name: string; readonly form: TimeForm; readonly digits: number }[] = [
  { name: 'hhmmss', form: { kind: 'packed', decimals: 0 }, digits: 6 },
  { name: 'hhmmssfff', form: { kind: 'packed', decimals: 3 }, digits: 9 },
  { name: 'hhmmssffffff', form: { kind: 'packed', decimals: 6 }, digits: 12 },
  { name: 'hhmmssfffffffff', form: { kind: 'packed', decimals: 9 }, digits: 15 },
  { name: 'hhmm', form: { kind: 'minutes' }, digits: 4 },
  ...(['s', 'ms', 'us', 'ns'] as const).map((unit, i) => ({ name: unit, form: { kind: 'elapsed', unit } as const, digits: 5 + 3 * i })),
];
export const CLOCK_NAMES: readonly string[] = CLOCK_FORMS.map(({ name }) => name);

/** How `--columns clock=` names a form of digits. */
export function clockName(wanted: TimeForm): string | undefined {
  const isSame = (form: TimeForm): boolean => JSON.stringify(form) === JSON.stringify(wanted);
  return CLOCK_FORMS.find(({ form }) => isSame(form))?.name;
}

/** How far the digits of such a form are from those of the values: the likeliest form of several has as many. */
export function clockDistance(name: string, texts: readonly string[]): number {
  const longest = Math.max(...texts.map((text) => /^\d*/.exec(text)![0].length));
  return Math.abs(CLOCK_FORMS.find((form) => form.name === name)!.digits - longest);
}

/**
 * Every form in which all values of a column are times of day, rows without a value aside. Several: nothing shows which it is, as for 52201,
 * which is 05:22:01, 52201 s or 52.201 s after midnight. Of many seconds none is above 59 only where they are written as a clock shows them.
 */
export function clockForms(texts: readonly string[]): readonly TimeForm[] {
  const values = texts.filter((text) => text !== '');
  if (values.length === 0 || values.length < 0.5 * texts.length) return [];
  const isMostly = (test: (text: string) => boolean): boolean => values.filter(test).length >= 0.95 * values.length;
  if (isMostly((text) => CLOCK.test(text) && Number(text.split(':')[0].replace('0D', '')) < 25)) return [{ kind: 'clock' }];
  if (!values.every((text) => DIGITS.test(text))) return [];
  const whole = values.map((text) => /^\d+/.exec(text)![0]);
  const longest = Math.max(...whole.map(({ length }) => length));
  const isPadded = whole.some((text) => text.length > 1 && text.startsWith('0'));
  const isFixed = whole.every(({ length }) => length === longest);
  // Of the hour 0 alone, one digit wide: 05624.566 is 00:56:24.566.
  const isFirstHour = isFixed && whole.every((text) => text.startsWith('0'));
  const hasFraction = values.some((text) => /[.,]/.test(text));
  if (longest < 3) return [];
  const possible = CLOCK_FORMS.filter(({ form, digits }) => {
    const isWidth = longest === digits || (isFirstHour && form.kind === 'packed' && longest === digits - 1);
    if (longest > digits || (isPadded && isFixed && !isWidth)) return false;
    if (isPadded && form.kind === 'elapsed') return false;
    const takesFraction = (form.kind === 'packed' && form.decimals === 0) || (form.kind === 'elapsed' && form.unit === 's');
    return (takesFraction || !hasFraction) && values.every((text) => isTime(text, form));
  });
  const shown = possible.filter(({ form }) => isShown(form, whole));
  return (shown.length > 0 ? shown : possible).map(({ form }) => form);
}

/** Whether seconds and minutes of many values are below 60, as they are by chance in no other form. */
function isShown(form: TimeForm, whole: readonly string[]): boolean {
  if (form.kind === 'elapsed') return false;
  const power = form.kind === 'packed' ? 10 ** form.decimals : 1;
  const seconds = new Set(whole.map((text) => Math.floor(Number(text) / power)));
  return seconds.size >= MIN_SECONDS && Math.max(...seconds) - Math.min(...seconds) >= 100;
}

function isTime(text: string, form: TimeForm): boolean {
  const bytes = sampleBytes(text);
  return timeOfDayUs(bytes, 0, bytes.length, form) > STAMP_MALFORMED;
}
