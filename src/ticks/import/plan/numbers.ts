/** How the numbers of a column are written: the byte before decimals, and the sign between thousands, '' where there is none. */
export type NumberForm = { readonly point: number; readonly thousands: string };

const POINT = 46;
const COMMA = 44;
export const POINT_FORM: NumberForm = { point: POINT, thousands: '' };
/** Of the values of a column. */
const MAX_ODD = 0.02;
const PLAIN = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,4})?$/i;

/** What stands for no value in the tables of people: the largest whole number of Databento, NaN, NULL, `\N` of databases, errors of spreadsheets and of C libraries. */
const NO_VALUE =
  /^(?:|[-.?*]+|9223372036\.?854775807|nan|null|nil|none|void|undefined|n\/?a|\\n|#n\/a(?: n\/a)?|#(?:value|ref|div\/0|name\?|num|null)!?|[-+]?(?:1\.#)?(?:inf|infinity|ind|[qs]?nan)\d*)$/i;

/** Without the sign of a currency. */
export const withoutCurrency = (text: string): string => text.replace(/^([-+]?)[$€£¥]\s?|\s?[$€£¥]$/g, '$1');

export const isNoValue = (text: string): boolean => NO_VALUE.test(text.trim());

/** The simplest first. */
const FORMS: readonly (NumberForm & { readonly look: RegExp })[] = [
  { ...POINT_FORM, look: PLAIN },
  { point: COMMA, thousands: '', look: /^[-+]?(?:\d+,?\d*|,\d+)(?:e[-+]?\d{1,4})?$/i },
  { point: POINT, thousands: ',', look: /^[-+]?\d{1,3}(?:,\d{3})*(?:\.\d+)?$/ },
  { point: COMMA, thousands: '.', look: /^[-+]?\d{1,3}(?:\.\d{3})*(?:,\d+)?$/ },
  ...[' ', "'", '’', '\u00a0', '\u202f'].flatMap((thousands) => [
    { point: POINT, thousands, look: new RegExp(`^[-+]?\\d{1,3}(?:${thousands}\\d{3})*(?:\\.\\d+)?$`) },
    { point: COMMA, thousands, look: new RegExp(`^[-+]?\\d{1,3}(?:${thousands}\\d{3})*(?:,\\d+)?$`) },
  ]),
];

const APOSTROPHES = ["'", '’'];

/** 110'165 is 110 and 16.5 of 32 parts in futures on bonds: three digits up to 317 that end in 0, 2, 5 or 7. */
const areThirtySeconds = (texts: readonly string[]): boolean => texts.every((text) => /^\d+['’](?:[0-2]\d|3[01])[0257]$/.test(text));

export type NumberReading = { readonly form: NumberForm; readonly values: readonly number[] };

/** The sign that stands before decimals in a file: `several` where its columns show both. */
export type DecimalSign = 'point' | 'comma' | 'several' | 'unknown';

/** By the columns that can be read in one way only. */
export function decimalSignOf(columns: readonly (readonly string[])[]): DecimalSign {
  const signs = new Set<DecimalSign>();
  for (const texts of columns) {
    // Whole numbers, and most words, show no sign.
    if (texts.every((text) => /^\d*$/.test(text)) || /^[a-z]/i.test(texts.find((text) => !isNoValue(text)) ?? '')) continue;
    const readings = readNumbers(texts, 'several');
    const [only] = readings;
    if (readings.length !== 1 || only!.values.every((value) => Number.isNaN(value) || Number.isInteger(value))) continue;
    signs.add(only!.form.point === POINT ? 'point' : 'comma');
  }
  return signs.size === 0 ? 'unknown' : signs.size > 1 ? 'several' : [...signs][0];
}

/**
 * The readings of a column, decided over the whole sample and never value by value: `46,211` is 46211 or 46.211, and the rows together show
 * which, or the sign of the other columns does, or none does and both come back. `46.211` counts as decimals unless other columns show decimal
 * commas. No value: NaN. Empty: these are no numbers.
 */
export function readNumbers(written: readonly string[], sign: DecimalSign): readonly NumberReading[] {
  // All prices of a column have the sign, or none.
  const texts = /[$€£¥]/.test(written.find((text) => !isNoValue(text)) ?? '') ? written.map(withoutCurrency) : written;
  const filled = texts.map((text) => !isNoValue(text));
  if (!filled.includes(true)) return [];
  const readings: NumberReading[] = [];
  for (const { look, ...form } of FORMS) {
    if (!texts.every((text, i) => !filled[i] || look.test(text))) continue;
    if (APOSTROPHES.includes(form.thousands) && areThirtySeconds(texts.filter((_, i) => filled[i]))) continue;
    const values = texts.map((text, i) => (filled[i] ? numberOf(text, form) : NaN));
    if (!readings.some((other) => other.values.every((value, i) => Object.is(value, values[i])))) readings.push({ form, values });
    if (form.point === POINT && form.thousands === '' && sign !== 'comma' && sign !== 'several') break;
  }
  const said = readings.filter(({ form }) => (sign === 'comma' ? form.point === COMMA : sign === 'point' ? form.point === POINT : true));
  const left = said.length > 0 ? said : readings;
  return left.length > 0 ? left : mostly(texts, filled);
}

/** A few values are no numbers at all: the form of the rest, and NaN for those, which the reader names with their line. */
function mostly(texts: readonly string[], filled: readonly boolean[]): readonly NumberReading[] {
  const count = filled.filter(Boolean).length;
  for (const { look, ...form } of FORMS) {
    const limit = Math.min(Math.max(1, MAX_ODD * count), (count - 1) / 2);
    let odd = 0;
    const values: number[] = [];
    for (let i = 0; i < texts.length && odd <= limit; i++) {
      const fits = filled[i] && look.test(texts[i]);
      if (filled[i] && !fits) odd++;
      values.push(fits ? numberOf(texts[i], form) : NaN);
    }
    if (odd > 0 && odd <= limit) return [{ form, values }];
  }
  return [];
}

function numberOf(text: string, { point, thousands }: NumberForm): number {
  const whole = thousands === '' ? text : text.replaceAll(thousands, '');
  return Number(point === COMMA ? whole.replace(',', '.') : whole);
}
