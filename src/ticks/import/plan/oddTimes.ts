import type { Column } from './columns.ts';
import { type Context, shown, type StampPlan } from './StampPlan.ts';
import { isEpoch } from './sameTimes.ts';

const OTHER_YEAR = /gps|(?:^|[^a-z])tai(?:$|[^a-z])|stata|^sas|cocoa|1904/;
const HALF = /^[ap]\.?\s?m\.?$/i;
const MIN_SHORT = 3;

/** What makes times that can be read wrong for sure, and what to do about it: no option reads them. */
export function oddTimes(
  plans: readonly StampPlan[],
  columns: readonly Column[],
  context: Context,
): { readonly doubt: string; readonly remedy: string } | undefined {
  for (const { stampColumn, timeColumn, guess } of plans) {
    const time = timeColumn < 0 ? columns[stampColumn] : columns[timeColumn];
    const half = columns.find(({ texts }) => texts.every((text) => HALF.test(text)));
    if (half !== undefined && time.texts.some((text) => /^\d|:\d/.test(text)) && !isEpoch(guess))
      return {
        doubt: `${shown(half, context)} says AM or PM of the times in ${shown(time, context)}`,
        remedy: 'Write both in one column, as 02:30:01 PM, or write 14:30:01.',
      };
    if (isEpoch(guess) && OTHER_YEAR.test(time.name))
      return {
        doubt: `${shown(time, context)} counts from another year than 1970 by its name`,
        remedy: 'Convert its numbers to seconds since 1970 (UTC); those of GPS count from 1980-01-06, and 18 s more.',
      };
    const short = unpadded(time.texts);
    if (short !== undefined)
      return {
        doubt: `the fractions of a second in ${shown(time, context)} are not filled up to one length, as ${JSON.stringify(short)}: digits behind the seconds count milliseconds there, and .5 would be read as 500 ms`,
        remedy: 'Write each fraction with three digits, as 14:30:01.005.',
      };
  }
  return undefined;
}

/**
 * A time whose fraction counts milliseconds without leading zeros. Of fractions that were trimmed none ends in 0, of those that were filled up all
 * are equally long, and of both a tenth begins with 0.
 */
function unpadded(texts: readonly string[]): string | undefined {
  const found = texts.flatMap((text) => {
    const digits = /(?::\d\d:\d\d|^\d{5,6}|^\d{10})[.:,](\d{1,3})(?!\d)/.exec(text)?.[1];
    return digits === undefined ? [] : [{ text, digits }];
  });
  const short = found.filter(({ digits }) => digits.length < 3);
  if (short.length < MIN_SHORT || short.length === found.length || found.some(({ digits }) => /^0\d/.test(digits))) return undefined;
  return found.some(({ digits }) => /^\d+0$/.test(digits)) ? short[0].text : undefined;
}
