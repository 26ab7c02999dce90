import { type DateOrder, epochUnit, StampParser, type StampForm } from './StampParser.ts';

const encoder = new TextEncoder();
const EPOCH = /^\d{9,19}(?:[.,]\d+)?$/;
/** 2024…: a date in 14 or 17 digits, which no epoch number of any unit in use has. */
const COMPACT = /^(?:19|20|21)\d{6}(?:\d{6}|\d{9})$/;
const PACKED = /^(?:19|20|21)\d{6}(?:$|[ T,]|\d{6})/;

/** Of a sample of stamps at least half is of one form: a broken row is named by the reader, with its line. */
const MAX_FAULTS = 0.5;

export type StampGuess =
  { readonly form: StampForm; readonly isSure: true } | { readonly orders: readonly DateOrder[]; readonly isSure: false };

/**
 * The form of the stamps of a column. `times` is the column with the time of day, where there is one. Undefined: these are no stamps.
 * Day and month of 03/04/2024 are told apart by a number above 12, or by which of them changes more often; else both orders come back.
 */
export function guessStamp(values: readonly string[], times?: readonly string[]): StampGuess | undefined {
  const first = values[0];
  if (first === undefined) return undefined;
  const isSplit = times !== undefined;
  if (!isSplit && EPOCH.test(first) && !COMPACT.test(first)) {
    const unit = epochUnit(Number(first.replace(',', '.')));
    if (unit === undefined) return undefined;
    const form: StampForm = { kind: 'epoch', unit };
    return faultsOf(form, values, times) <= values.length * MAX_FAULTS ? { form, isSure: true } : undefined;
  }
  const orders: DateOrder[] = PACKED.test(first)
    ? ['packed']
    : /^\d{4}[-/.]/.test(first)
      ? ['ymd']
      : /^\d{1,2}\.\d{1,2}\.\d{4}/.test(first)
        ? ['dmy']
        : /^\d{1,2}[-/]\d{1,2}[-/]\d{4}/.test(first)
          ? ['dmy', 'mdy']
          : [];
  const read = orders
    .map((order): StampForm => ({ kind: 'calendar', order, isSplit }))
    .map((form) => ({ form, faults: faultsOf(form, values, times) }))
    .filter(({ faults }) => faults <= values.length * MAX_FAULTS)
    .sort((a, b) => a.faults - b.faults);
  const [best, next] = read;
  if (best === undefined) return undefined;
  if (next === undefined || next.faults > best.faults) return { form: best.form, isSure: true };
  const likely = stepOrder(values);
  if (likely !== undefined) return { form: { kind: 'calendar', order: likely, isSplit }, isSure: true };
  return { orders: ['dmy', 'mdy'], isSure: false };
}

/** How many values are no stamps of this form. */
function faultsOf(form: StampForm, values: readonly string[], times: readonly string[] | undefined): number {
  const parser = new StampParser(form);
  let faults = 0;
  for (const [i, value] of values.entries()) {
    const bytes = encoder.encode(value);
    const time = times === undefined ? undefined : encoder.encode(times[i] ?? '');
    let us: number;
    if (time === undefined) us = parser.timeUs(bytes, 0, bytes.length);
    else {
      const both = new Uint8Array(bytes.length + time.length);
      both.set(bytes);
      both.set(time, bytes.length);
      us = parser.splitUs(both, 0, bytes.length, bytes.length, both.length);
    }
    if (us < 0) faults++;
  }
  return faults;
}

/** Days change more often than months: of 03/04, 03/05, 03/06 the second number is the day. */
function stepOrder(values: readonly string[]): 'dmy' | 'mdy' | undefined {
  const changes: [number, number] = [0, 0];
  let last: readonly string[] | undefined;
  for (const value of values) {
    const parts = value.split(/[-/]/, 2);
    if (last !== undefined && parts[0] !== last[0]) changes[0]++;
    if (last !== undefined && parts[1] !== last[1]) changes[1]++;
    last = parts;
  }
  // One change alone may be that of a month.
  if (Math.max(...changes) < 2 || changes[0] === changes[1]) return undefined;
  return changes[0] > changes[1] ? 'dmy' : 'mdy';
}
