import { US_PER_YEAR } from '../timestamps.ts';
import type { CalendarForm, DateOrder, EpochUnit, TimeForm, TimestampForm } from './DateReader.ts';
import { TimestampParser } from './TimestampParser.ts';
import { sampleBytes } from './sampleBytes.ts';

const EPOCH = /^(?:\d{9,19}(?:[.,]\d+)?|\d{5}[.,]\d{8,}|\d(?:[.,]\d+)?e\+?\d{1,2})$/i;
/** 2024…: a date in 12 to 23 digits, which no epoch number of any unit in use has. */
const COMPACT = /^(?:19|20|21)\d{6}(?:\d{4}|\d{6}(?:[.,]\d+)?|\d{9}|\d{12}|\d{15})$/;
const PACKED = /^(?:19|20|21)\d{6}(?:$|[ T,D:_-]|\d{4}$|\d{6})/;
const WORDS = /^(?:mon|tue|wed|thu|fri|sat|sun),? /i;
const EARLIEST_US = Date.UTC(2000) * 1000;
const EPOCH_UNITS: readonly EpochUnit[] = ['s', 'ms', 'us', 'ns', 'dotnet', 'filetime', 'kdb', 'excel'];

/** Of a sample of stamps at least half is of one form: a broken row is named by the reader, with its line. */
const MAX_FAULTS = 0.5;

export type TimestampGuess =
  | { readonly form: TimestampForm; readonly isSure: true }
  | { readonly forms: readonly CalendarForm[]; readonly isSure: false };

/** The form, or the first of those of which the user must say which it is. */
export const formOf = (guess: TimestampGuess): TimestampForm => (guess.isSure ? guess.form : guess.forms[0]);

/** What a date looks like, and the orders that it may be in. Of a named month a day of two digits goes first unless the file shows otherwise. */
const SHAPES: readonly (Omit<CalendarForm, 'kind' | 'order' | 'isSplit'> & {
  readonly look: RegExp;
  readonly orders: readonly DateOrder[];
})[] = [
  { look: PACKED, orders: ['packed'] },
  { look: /^\d{4}[-/. ][a-z]{3,9}[-/. ]\d/i, orders: ['ymd'], namesMonth: true },
  { look: /^\d{1,2}[-/. ][a-z]{3,9}[-/. ]\d{4}/i, orders: ['dmy'], namesMonth: true },
  { look: /^\d{1,2}[-/. ][a-z]{3,9}[-/. ]\d{2}(?!\d)/i, orders: ['dmy', 'ymd'], namesMonth: true, isShortYear: true },
  { look: /^[a-z]{3,9}[-/. ]\d{1,2}(?:, |[-/. ])\d{4}/i, orders: ['mdy'], namesMonth: true },
  { look: /^\d{4}[-/.]/, orders: ['ymd'] },
  { look: /^\d{1,2}\.\d{1,2}\.\d{4}/, orders: ['dmy'] },
  { look: /^\d{1,2}[-/]\d{1,2}[-/]\d{4}/, orders: ['dmy', 'mdy'] },
  { look: /^\d{1,2}([-/.])\d{1,2}\1\d{2}(?!\d)/, orders: ['dmy', 'mdy', 'ymd'], isShortYear: true },
];

/**
 * The form of the stamps of a column. `times` is the column with the time of day, where there is one. Undefined: these are no stamps.
 * The parts of 03/04/2024 or 11/22/26 are told apart by numbers that cannot be a day or a month, or by which of them changes most often; else every
 * form that they may be of comes back.
 */
export function guessTimestampFormat(
  values: readonly string[],
  times: { readonly texts: readonly string[]; readonly form: TimeForm; readonly isSession: boolean } | undefined,
  nowMs: number,
): TimestampGuess | undefined {
  const first = values.find((value) => value !== '');
  if (first === undefined) return undefined;
  const isSplit = times !== undefined;
  if (!isSplit && EPOCH.test(first) && !COMPACT.test(first)) return epochGuess(values, nowMs);
  if (!isSplit && WORDS.test(first)) {
    const form: TimestampForm = { kind: 'words' };
    return faultsOf(form, values, undefined) <= values.length * MAX_FAULTS ? { form, isSure: true } : undefined;
  }
  const shape = SHAPES.find(({ look }) => look.test(first));
  if (shape === undefined) return undefined;
  const { isShortYear = false, namesMonth = false } = shape;
  const read = shape.orders
    .map((order): CalendarForm => ({
      kind: 'calendar',
      order,
      isSplit,
      isShortYear,
      namesMonth,
      ...(isSplit ? { time: times.form, isSession: times.isSession } : {}),
    }))
    .map((form) => ({ form, faults: faultsOf(form, values, times?.texts) }))
    .filter(({ faults }) => faults <= values.length * MAX_FAULTS);
  const fewest = Math.min(...read.map(({ faults }) => faults));
  const forms = read.flatMap(({ form, faults }) => (faults === fewest ? [form] : []));
  const [form] = forms;
  if (form === undefined) return undefined;
  if (forms.length === 1) return { form, isSure: true };
  const likely = stepForm(values, forms);
  if (likely !== undefined) return { form: likely, isSure: true };
  return namesMonth ? { form, isSure: true } : { forms, isSure: false };
}

/** The unit that puts the numbers between 2000 and the end of next year; most epochs and units lie so far apart that there is one at most. */
function epochGuess(values: readonly string[], nowMs: number): TimestampGuess | undefined {
  const latestUs = nowMs * 1000 + US_PER_YEAR;
  const isSound = (unit: EpochUnit): boolean => {
    const parser = new TimestampParser({ kind: 'epoch', unit });
    const sound = values.filter((value) => {
      const us = EPOCH.test(value) ? stampUs(parser, value, undefined) : -1;
      return us >= EARLIEST_US && us <= latestUs;
    }).length;
    return sound >= values.length * (1 - MAX_FAULTS);
  };
  const unit = EPOCH_UNITS.find(isSound);
  if (unit === undefined || isRounded(values, unit)) return undefined;
  // Some months of 2004 and 2020 in nanoseconds since 2000 are .NET ticks and file times too: whole microseconds end in three zeros, those in one.
  const isWholeUs = values.every((value) => value.endsWith('000')) && !values.every((value) => value.endsWith('0000'));
  const isKdb = (unit === 'dotnet' || unit === 'filetime') && isWholeUs && isSound('kdb');
  return { form: { kind: 'epoch', unit: isKdb ? 'kdb' : unit }, isSure: true };
}

/** Digits behind the point of 1.704810600495e+12 that hold milliseconds, or seconds where that is the unit. */
const NEEDED = { s: 0, ms: 0, us: 3, ns: 6 } as const;

/** Whether numbers as 1.66E+12 hold less than that: a spreadsheet has rounded them. */
function isRounded(values: readonly string[], unit: EpochUnit): boolean {
  const parts = values.flatMap((value) => [/^\d(?:[.,](\d+))?e\+?(\d+)$/i.exec(value) ?? []].filter(({ length }) => length > 0));
  if (parts.length === 0) return false;
  return !(unit in NEEDED) || Math.max(...parts.map(([, digits = '', power]) => digits.length - Number(power))) < -NEEDED[unit as 'ms'];
}

/** How many values are no stamps of this form. */
function faultsOf(form: TimestampForm, values: readonly string[], times: readonly string[] | undefined): number {
  const parser = new TimestampParser(form);
  let faults = 0;
  for (const [i, value] of values.entries()) if (stampUs(parser, value, times === undefined ? undefined : (times[i] ?? '')) < 0) faults++;
  return faults;
}

/** Microseconds, or a fault below 0. `time`: the field with the time of day, where there is one. */
export function stampUs(parser: TimestampParser, date: string, time: string | undefined): number {
  const dateLength = sampleBytes(date).length;
  const bytes = sampleBytes(time === undefined ? date : date + time);
  return time === undefined ? parser.timeUs(bytes, 0, bytes.length) : parser.splitUs(bytes, 0, dateLength, dateLength, bytes.length);
}

const DATE_PARTS = /^(\w+)[-/. ](\w+)[-/. ](\d+)/;
const DAY_AT: Readonly<Record<DateOrder, number>> = { dmy: 0, mdy: 1, ymd: 2, packed: 0 };

/** Days change more often than months and years: of 03/04, 03/05, 03/06 the second number is the day. */
function stepForm(values: readonly string[], forms: readonly CalendarForm[]): CalendarForm | undefined {
  const changes = [0, 0, 0];
  let last: readonly string[] | undefined;
  for (const value of values) {
    const parts = DATE_PARTS.exec(value)?.slice(1, 4) ?? [];
    for (let at = 0; at < 3; at++) if (last !== undefined && parts[at] !== last[at]) changes[at]++;
    last = parts;
  }
  const [best, next] = forms.map((form) => ({ form, days: changes[DAY_AT[form.order]] })).sort((a, b) => b.days - a.days);
  // One change alone may be that of a month.
  return best!.days >= 2 && best!.days > (next?.days ?? 0) ? best!.form : undefined;
}

/** A file of a few rows out of order is no file that runs backwards. */
const MIN_STEPS_BACK = 3;
/** Of the steps between distinct stamps. */
const MAX_FORWARD_FRACTION = 0.1;
/** Where more steps go forward, none is longer than this, and together they are a small part of the way back. */
const MIN_JITTER_STEPS = 10;
const MAX_SLIP_US = 5_000_000;
const MAX_SLIP_FRACTION = 0.4;

export type StampColumns = { readonly stampColumn: number; readonly timeColumn: number };

/** The stamps of a sample of rows, microseconds; negative where one is none. */
export function sampleTimestamps(
  rows: readonly (readonly string[])[],
  { stampColumn, timeColumn }: StampColumns,
  form: TimestampForm,
): number[] {
  const parser = new TimestampParser(form);
  return rows.map((row) => stampUs(parser, row[stampColumn] ?? '', timeColumn < 0 ? undefined : (row[timeColumn] ?? '')));
}

/** Whether rows with these stamps run from newest to oldest, slips of some rows or of little time aside. */
export function isNewestFirst(stampsUs: readonly number[]): boolean {
  const steps = stampsUs.flatMap((us, i) => (i === 0 || us < 0 || stampsUs[i - 1] < 0 ? [] : [us - stampsUs[i - 1]]));
  const back = steps.filter((step) => step < 0);
  const forward = steps.filter((step) => step > 0);
  const sum = (all: readonly number[]): number => all.reduce((total, step) => total + Math.abs(step), 0);
  const isFew = forward.length <= MAX_FORWARD_FRACTION * (back.length + forward.length);
  const isJitter =
    back.length >= MIN_JITTER_STEPS && forward.every((step) => step <= MAX_SLIP_US) && sum(forward) <= MAX_SLIP_FRACTION * sum(back);
  return back.length >= MIN_STEPS_BACK && (isFew || isJitter);
}
