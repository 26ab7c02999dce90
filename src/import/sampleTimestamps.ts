import type { StampForm } from './StampForm.ts';
import { StampParser } from './StampParser.ts';

const encoder = new TextEncoder();
/** A file of a few rows out of order is no file that runs backwards. */
const MIN_STEPS_BACK = 3;
/** Of the steps between distinct stamps. */
const MAX_FORWARD_FRACTION = 0.1;

export type StampColumns = { readonly stampColumn: number; readonly timeColumn: number };

/** The stamps of a sample of rows, microseconds; negative where one is none. */
export function sampleTimestamps(
  rows: readonly (readonly string[])[],
  { stampColumn, timeColumn }: StampColumns,
  form: StampForm,
): number[] {
  const parser = new StampParser(form);
  return rows.map((row) => {
    const date = encoder.encode(row[stampColumn]);
    const joined = encoder.encode(`${row[stampColumn]}${timeColumn < 0 ? '' : row[timeColumn]}`);
    return timeColumn < 0 ? parser.timeUs(joined, 0, joined.length) : parser.splitUs(joined, 0, date.length, date.length, joined.length);
  });
}

/** Whether rows with these stamps run from newest to oldest, slips aside. */
export function isNewestFirst(stampsUs: readonly number[]): boolean {
  const steps = stampsUs.flatMap((us, i) => (i === 0 || us < 0 || stampsUs[i - 1]! < 0 ? [] : [us - stampsUs[i - 1]!]));
  const back = steps.filter((step) => step < 0).length;
  const forward = steps.filter((step) => step > 0).length;
  return back >= MIN_STEPS_BACK && forward <= MAX_FORWARD_FRACTION * (back + forward);
}
