import { US_PER_DAY, US_PER_HOUR } from '../../timestamps.ts';
import { ambiguousClock, type Context, pairPlans, shown, type StampPlans } from './StampPlan.ts';
import type { Column } from './columns.ts';
import { isLaterDate, isSymbolName, timeRank, UNKNOWN_RANK } from './names.ts';
import { isEpoch, liesWithin, sameSeconds } from './sameTimes.ts';

const MIN_LOCKSTEP_ROWS = 8;
const MIN_STILL_ROWS = 30;
const MIN_MINUTES = 20;

/** A column of dates with one of times of day. */
export function datePairs(columns: readonly Column[], stamped: readonly Column[], context: Context): StampPlans {
  const hasHeader = context.titles !== undefined;
  const dates = stamped.filter(
    ({ stamp, name }) => stamp!.isDate && !isEpoch(stamp!.guess) && !(hasHeader && (isSymbolName(name) || isLaterDate(name))),
  );
  const distinct = dates.filter(
    ({ texts }, i) => !dates.slice(0, i).some((other) => other.texts.every((text, row) => text === texts[row])),
  );
  const isDigits = ({ clocks }: Column): boolean => clocks[0]?.kind !== 'clock';
  const clocks = columns.filter((column) => column.clocks.length > 0 && !column.isEmpty && !isDayNumber(column, dates));
  const possible = clocks.filter(
    (column) => !isDigits(column) || (hasHeader ? timeRank(column.name) < Infinity : runsOn(column, distinct) && !countsByOne(column)),
  );
  const surest = Math.max(...possible.map(sureness));
  const likely = possible.filter((column) => hasHeader || sureness(column) === surest);
  // Of names the known ones decide: "seconds" and "sip_time" are no surer than hours:minutes under a name that says nothing.
  const decides = ({ name }: Column, over: Column): boolean =>
    timeRank(name) < timeRank(over.name) && (timeRank(name) < UNKNOWN_RANK || isDigits(over));
  const fine = likely.filter((column) => !likely.some((other) => other !== column && decides(other, column)));
  if (distinct.length === 0 || likely.length === 0) {
    const [date] = distinct;
    const doubtful = clocks.filter((column) => !column.isConstant && date !== undefined && runsOn(column, distinct));
    if (date === undefined || doubtful.length === 0) return { plans: [], doubt: '' };
    const plans = doubtful.flatMap((time) => distinct.flatMap((each) => pairPlans(each, time, 'a date and a time of day', context)));
    return { plans, doubt: `${shown(date, context)} holds dates alone, and ${shown(doubtful[0], context)} looks like a time of day` };
  }
  const ranked = distinct.filter((date) => !distinct.some((other) => other !== date && timeRank(other.name) < timeRank(date.name)));
  const chosen = hasHeader && ranked.length > 0 ? ranked : distinct;
  const plans = chosen.flatMap((date) =>
    fine.flatMap((time) => pairPlans(date, time, hasHeader ? 'by their names' : 'a date and a time of day', context)),
  );
  // Digits that tell another time within the hour, next to a time of day whose name is not known.
  const isNamed = fine.some(({ name }) => timeRank(name) < UNKNOWN_RANK);
  const rivals = isNamed
    ? []
    : clocks.filter((column) => !fine.includes(column) && !column.isConstant && runsOn(column, distinct) && !countsByOne(column));
  const others = rivals.flatMap((time) => chosen.flatMap((date) => pairPlans(date, time, 'a date and a time of day', context)));
  plans.push(
    ...others.filter(
      ({ us }) => plans.every((plan) => !sameSeconds(us, plan.us)) && plans.some((plan) => liesWithin(us, plan.us, US_PER_HOUR)),
    ),
  );
  const ambiguous = fine.find((time) => time.clocks.length > 1);
  if (ambiguous !== undefined) return { plans, doubt: ambiguousClock(ambiguous, context) };
  const still = hasHeader ? undefined : fine.find(standsStill);
  if (still !== undefined) return { plans, doubt: ambiguousClock(still, context) };
  return { plans, doubt: '' };
}

/** Many ticks of one or two seconds by their digits: those of any long number begin so. */
const standsStill = ({ texts, clocks }: Column): boolean =>
  clocks[0].kind === 'packed' &&
  texts.length >= MIN_STILL_ROWS &&
  texts.every((text) => /^\d{12,15}$/.test(text)) &&
  new Set(texts.map((text) => text.slice(0, 6))).size < 3;

/** 45300.604 next to 2024-01-09: days since some year, not seconds since midnight, which are not all of one second. */
function isDayNumber({ numbers }: Column, dates: readonly Column[]): boolean {
  const values = numbers[0]?.values ?? [];
  return dates.some(({ stamp }) => {
    const epochs = new Set(values.map((value, i) => Math.floor(value) - stamp!.us[i] / US_PER_DAY));
    const isKnown = epochs.has(25_569) || (values.length >= MIN_LOCKSTEP_ROWS && !values.every(Number.isInteger));
    return epochs.size === 1 && isKnown;
  });
}

/** Numbers since midnight in one unit alone that grow by one of it from row to row are ids. */
function countsByOne({ clocks, numbers }: Column): boolean {
  const values = numbers[0]?.values ?? [];
  return clocks[0].kind === 'elapsed' && values.length > 3 && values.every((value, i) => i === 0 || value - values[i - 1] === 1);
}

/** Hours:minutes say more than digits that fit a clock alone, those more than digits that fit several forms or have a fraction, and those more than numbers since midnight. */
function sureness({ clocks, texts }: Column): number {
  const [form] = clocks;
  if (form!.kind === 'clock') return 4;
  if (clocks.length === 1 && form!.kind !== 'elapsed') return 3;
  return form!.kind !== 'elapsed' || texts.every((text) => /[.,]/.test(text)) ? 2 : 1;
}

/** Digits that look like a time of day and run in one direction within each date. */
export function runsOn({ numbers, texts }: Column, dates: readonly Column[]): boolean {
  const values = numbers[0]?.values;
  const [date] = dates;
  if (values === undefined || date === undefined) return false;
  // 0, 3, … 58, 101: hours and minutes after midnight. Numbers that count rows go through 60 to 99 too.
  const areMinutes =
    values.some((value) => value >= 100) && new Set(values).size >= MIN_MINUTES && values.every((value) => value % 100 < 60);
  if (texts[0].length < 4 && !areMinutes) return false;
  const steps = values
    .slice(1)
    .flatMap((value, i) => (date.texts[i] === date.texts[i + 1] && value !== values[i] ? [value - values[i]] : []));
  const forward = steps.filter((step) => step > 0).length;
  return steps.length >= 2 && Math.max(forward, steps.length - forward) >= 0.95 * steps.length;
}
