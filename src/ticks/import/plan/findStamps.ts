import { US_PER_SECOND } from '../../../core/units.ts';
import { US_PER_DAY } from '../../timestamps.ts';
import { ambiguousClock, type Context, isMidnight, pairPlans, shown, type StampPlan, type StampPlans, whole } from './StampPlan.ts';
import type { Column } from './columns.ts';
import { datePairs } from './datePairs.ts';
import { isNoPriceName, isPriceName, isReceiveName, timeRank, UNKNOWN_RANK } from './names.ts';
import type { Columns } from './resolveColumns.ts';
import {
  isCounter,
  isEpoch,
  isRoundedEpoch,
  liesWithin,
  narrowed,
  runsAsText,
  runsInLockstep,
  sameSeconds,
  tellsOtherTime,
} from './sameTimes.ts';
import { isFraction, withFraction } from './withFraction.ts';

/** Every way to read the time that the names and the content of the columns allow; exactly one is sure. */
export function findStamps(columns: readonly Column[], named: Columns, context: Context): StampPlans {
  const found = named.time !== undefined || named.date !== undefined ? namedPlans(columns, named, context) : foundPlans(columns, context);
  const { plans, doubt } = found;
  // A fraction of a second belongs to a time of day.
  const fractions = plans.flatMap((plan) =>
    plan.timeColumn < 0 && isMidnight(plan.us) ? [plan] : withFraction(plan, columns, named, context),
  );
  const dated = fractions.filter(
    ({ us, guess, timeColumn }) => timeColumn >= 0 || !isMidnight(us) || (guess.isSure && guess.form.kind === 'epoch'),
  );
  if (fractions.length > 0 && dated.length === 0)
    return {
      plans: [],
      doubt: `${shown(columns[fractions[0].stampColumn], context)} holds dates alone, and no other column is a time of day for sure`,
    };
  const odd = oddTimes(dated, columns, context);
  if (odd !== undefined) return { plans: [], ...odd };
  return { plans: dated, doubt: doubt || (dated.length > 1 ? 'several columns may be the time of a row' : '') };
}

function namedPlans(columns: readonly Column[], { date, time }: Columns, context: Context): StampPlans {
  if (date === undefined || time === undefined) {
    const column = columns[(date ?? time)!];
    return { plans: column.stamp === undefined ? [] : [whole(column, context.namedBy, context)], doubt: '' };
  }
  const plans = pairPlans(columns[date], columns[time], context.namedBy, context);
  return { plans, doubt: plans.length > 1 ? ambiguousClock(columns[time], context) : '' };
}

function foundPlans(columns: readonly Column[], context: Context): StampPlans {
  const hasHeader = context.titles !== undefined;
  const stamped = columns.filter(({ stamp, isEmpty }) => stamp !== undefined && !isEmpty);
  const full = stamped.filter(({ stamp }) => !stamp!.isDate);
  const pairs = datePairs(columns, stamped, context);
  return hasHeader ? titledPlans(columns, full, pairs, context) : untitledPlans(columns, full, pairs, context);
}

/** A column named as the time of the row, else a date and a time by their names, else what else holds times, such as a receive time: where no named one is left unread. */
function titledPlans(columns: readonly Column[], full: readonly Column[], pairs: StampPlans, context: Context): StampPlans {
  const isNamed = ({ name }: Column): boolean => timeRank(name) < Infinity && !isReceiveName(name);
  const pool = narrowed(full.filter(isNamed), true);
  const [best] = pool;
  const rank = best === undefined ? Infinity : timeRank(best.name);
  // Whole billionths of 1.0943 and many an id look like seconds since 1970.
  const times = full.filter(
    (column) => !isPriceName(column.name) && !(isNoPriceName(column.name) && !isNamed(column) && isEpoch(column.stamp!.guess)),
  );
  const sure = times.filter((column) => !isCounter(column));
  // What counts like an id may still be the time, where else there is that of a recorder alone.
  const rest = narrowed(sure.every(({ name }) => isReceiveName(name)) ? times : sure, false);
  const hasPairs = pairs.plans.length + pairs.doubt.length > 0;
  const wholes = (all: readonly Column[], evidence: string): StampPlan[] => all.map((column) => whole(column, evidence, context));
  const isUnread = (column: Column): boolean =>
    column.stamp === undefined &&
    !column.isEmpty &&
    !isFraction(column) &&
    (isRoundedEpoch(column) ||
      (best === undefined && runsAsText(column)) ||
      (!column.isConstant && timeRank(column.name) < Infinity) ||
      (best === undefined && timeRank(column.name) < UNKNOWN_RANK));
  const unreadDoubt = (column: Column): string =>
    `${shown(column, context)} is named as the time or looks like one, and the form of ${JSON.stringify(column.texts[0])} is not known`;
  // A date and a time by their names, next to a stamp whose name says little and that tells another time.
  if (hasPairs && rank >= UNKNOWN_RANK) {
    const unread = columns.find((column) => isUnread(column) && isNamed(column) && column.clocks.length === 0);
    const others = (best === undefined ? rest.filter(({ name }) => !isReceiveName(name)) : pool).filter(
      ({ stamp, isConstant }) => !isConstant && !pairs.plans.some(({ us }) => sameSeconds(stamp!.us, us)),
    );
    if (best === undefined || others.length > 0)
      return { plans: [...pairs.plans, ...wholes(others, '')], doubt: pairs.doubt || (unread === undefined ? '' : unreadDoubt(unread)) };
  }
  const chosen = best === undefined ? rest : pool;
  if (chosen.length === 0) {
    const date = columns.find(({ stamp, isEmpty }) => stamp?.isDate === true && !isEmpty);
    return { plans: date === undefined ? [] : wholes([date], 'a date'), doubt: '' };
  }
  const unread = columns.find(
    (column) =>
      isUnread(column) &&
      (best === undefined ||
        (!isReceiveName(column.name) &&
          timeRank(column.name) <= rank &&
          (column.clocks.length === 0 || (rank >= UNKNOWN_RANK && !hasPairs)))),
  );
  if (unread !== undefined) return { plans: wholes(chosen, ''), doubt: unreadDoubt(unread) };
  if (best === undefined) return { plans: wholes(chosen, 'full dates and times'), doubt: '' };
  const far = rest.find((column) => column !== best && !column.isConstant && !liesWithin(column.stamp!.us, best.stamp!.us, US_PER_DAY));
  if (far === undefined) return { plans: wholes(pool, 'by its name'), doubt: '' };
  return {
    plans: wholes([...pool, far], ''),
    doubt: `the times in ${shown(best, context)} and ${shown(far, context)} are days apart`,
  };
}

/** Full stamps, or a date and a time of day; of two that tell different times nothing says which is that of the row. */
function untitledPlans(columns: readonly Column[], full: readonly Column[], pairs: StampPlans, context: Context): StampPlans {
  const pool = narrowed(
    full.filter((column) => !isCounter(column)),
    false,
  );
  const isLoose = pool.every(({ stamp }) => isEpoch(stamp!.guess) && stamp!.us.every((us) => us % US_PER_SECOND === 0));
  // Seconds since 1970 are no time of day of another date.
  const apart = pairs.plans.filter(({ timeColumn }) => !pool.some(({ at }) => at === timeColumn));
  let plans: readonly StampPlan[];
  if (apart.length > 0 && (pool.length === 0 || isLoose)) plans = apart;
  else if (pool.length > 0) {
    // With the fraction of its seconds in a column of its own a pair may tell another time than it does without.
    const fine = apart.flatMap((plan) => [
      plan,
      ...withFraction(plan, columns, {}, context).filter(({ fractionColumn }) => fractionColumn >= 0),
    ]);
    const others = fine.filter(({ us }) => !pool.some(({ stamp }) => sameSeconds(stamp!.us, us)));
    plans = [...pool.map((column) => whole(column, 'full dates and times', context)), ...others];
  } else if (pairs.doubt !== '') return pairs;
  else {
    const date = columns.find(({ stamp, isEmpty }) => stamp?.isDate === true && !isEmpty);
    return { plans: date === undefined ? [] : [whole(date, 'a date', context)], doubt: '' };
  }
  if (plans.length !== 1 || pairs.doubt !== '') return { plans, doubt: pairs.doubt };
  const [{ stampColumn, timeColumn, us }] = plans as [StampPlan];
  const other = columns.find(
    (column) =>
      column.at !== stampColumn &&
      column.at !== timeColumn &&
      column.stamp === undefined &&
      (isRoundedEpoch(column) || runsInLockstep(column, us) || tellsOtherTime(column, us)),
  );
  return { plans, doubt: other === undefined ? '' : `${shown(other, context)} may be another time of the row, and its form is not known` };
}

const OTHER_YEAR = /gps|(?:^|[^a-z])tai(?:$|[^a-z])|stata|^sas|cocoa|1904/;
const HALF = /^[ap]\.?\s?m\.?$/i;
const MIN_SHORT = 3;

/** What makes times that can be read wrong for sure, and what to do about it: no option reads them. */
function oddTimes(
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
