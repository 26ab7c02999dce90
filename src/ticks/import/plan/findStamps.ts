import { isZoneName, type SubUnit, type TimeForm, type TimestampForm } from '../DateReader.ts';
import { sampleBytes } from '../sampleBytes.ts';
import { timeOfDayUs } from '../TimestampParser.ts';
import { guessTimestampFormat, sampleTimestamps, type TimestampGuess } from '../guessTimestampFormat.ts';
import type { Column } from './columns.ts';
import { movementOf } from './columns.ts';
import { clockName } from './clockForms.ts';
import {
  bracketed,
  fractionUnit,
  isLaterDate,
  isNoPriceName,
  isPriceName,
  isReceiveName,
  isSymbolName,
  timeRank,
  UNKNOWN_RANK,
} from './names.ts';
import type { Columns } from './resolveColumns.ts';

/** One way to read the time of each row, with what speaks for it. */
export type StampPlan = {
  readonly stampColumn: number;
  /** Time of day, where it stands in a column of its own; else -1. */
  readonly timeColumn: number;
  /** The fraction of a second, where it stands in a column of its own; else -1. */
  readonly fractionColumn: number;
  readonly fractionUnit: SubUnit;
  readonly guess: TimestampGuess;
  readonly us: readonly number[];
  readonly zone: string | undefined;
  /** The name of the form of a time in digits, where it may be in another one. */
  readonly clock: string | undefined;
  readonly evidence: string;
};

export type StampPlans = { readonly plans: readonly StampPlan[]; /** Why there is not exactly one. */ readonly doubt: string };

type Context = {
  readonly rows: readonly (readonly string[])[];
  readonly titles: readonly string[] | undefined;
  readonly nowMs: number;
  /** The form of a time in digits, as the user named it. */
  readonly clock: string | undefined;
  /** Why the columns that `named` holds are those of the time. */
  readonly namedBy: string;
};

const S_US = 1_000_000;
const HOUR_US = 3600 * S_US;
const DAY_US = 24 * HOUR_US;
/** Ids that leave out more are rare; ticks a few milliseconds apart are not. */
const MAX_ID_STEP = 30;
const MAX_FINE_ID_STEP = 5;
const MIN_LOCKSTEP_ROWS = 8;
const MAX_APART_S = 120;
const MIN_PAIRS = 10;
const MAX_DELAY_US = 50_000;
/** Of the fractions of a second in a column of their own: how far up they go, of the limit, and how many differ. */
const MIN_HIGHEST = 0.6;
const MIN_DISTINCT = 0.7;
const MIN_RUNS = 0.95;
/** Of the steps between bars: few are longer. */
const MOSTLY = 0.8;

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
      doubt: `${shown(columns[fractions[0]!.stampColumn]!, context)} holds dates alone, and no other column is a time of day for sure`,
    };
  return { plans: dated, doubt: doubt || (dated.length > 1 ? 'several columns may be the time of a row' : '') };
}

const isMidnight = (us: readonly number[]): boolean => us.length > 0 && us.every((each) => each < 0 || each % DAY_US === 0);
const shown = ({ at }: Column, { titles }: Context): string => (titles?.[at] ? JSON.stringify(titles[at]) : `column ${at + 1}`);

function namedPlans(columns: readonly Column[], named: Columns, context: Context): StampPlans {
  if (named.date === undefined) {
    const { stamp } = columns[named.time!]!;
    if (stamp === undefined) return { plans: [], doubt: '' };
    return { plans: [whole(columns[named.time!]!, context.namedBy, context)], doubt: '' };
  }
  if (named.time === undefined) {
    const column = columns[named.date]!;
    return column.stamp === undefined ? { plans: [], doubt: '' } : { plans: [whole(column, context.namedBy, context)], doubt: '' };
  }
  const [date, time] = [columns[named.date]!, columns[named.time]!];
  const plans = pairPlans(date, time, context.namedBy, context);
  return { plans, doubt: plans.length > 1 ? ambiguousClock(time, context) : '' };
}

const ambiguousClock = (time: Column, context: Context): string =>
  `the times of day in ${shown(time, context)} (${time.texts[0]}) may be written in several ways: hours, minutes and seconds, or counted from midnight`;

function whole({ at, stamp }: Column, evidence: string, { titles }: Context): StampPlan {
  return {
    ...{ stampColumn: at, timeColumn: -1, fractionColumn: -1, fractionUnit: 'ms', guess: stamp!.guess, us: stamp!.us, evidence },
    clock: undefined,
    zone: zoneIn(titles?.[at]),
  };
}

/** `Time (EET)`, `Date(UTC)`, `Datetime UTC`. */
function zoneIn(title: string | undefined): string | undefined {
  const name = title === undefined ? undefined : (bracketed(title) ?? /[ _](utc|gmt)$/i.exec(title)?.[1]);
  return name !== undefined && isZoneName(name) ? name : undefined;
}

function pairPlans(date: Column, time: Column, evidence: string, context: Context): StampPlan[] {
  // CTP, and what records it: the night session belongs to the next trading day.
  const isWeekend = date.stamp?.us.some((us) => us >= 0 && new Date(us / 1000).getUTCDay() % 6 === 0) === true;
  const isSession = date.name === 'tradingday' && time.name === 'updatetime' && !isWeekend;
  const forms = time.clocks.filter((form) => context.clock === undefined || clockName(form) === context.clock);
  return forms.flatMap((form: TimeForm) => {
    const guess = guessTimestampFormat(date.texts, { texts: time.texts, form, isSession }, context.nowMs);
    if (guess === undefined) return [];
    const shape = guess.isSure ? guess.form : guess.forms[0]!;
    const us = sampleTimestamps(context.rows, { stampColumn: date.at, timeColumn: time.at }, shape);
    const zone = zoneIn(context.titles?.[time.at]) ?? zoneIn(context.titles?.[date.at]);
    return [
      {
        stampColumn: date.at,
        timeColumn: time.at,
        fractionColumn: -1,
        fractionUnit: 'ms',
        guess,
        us,
        evidence: isSession ? `${evidence}, evenings on the weekday before` : evidence,
        clock: time.clocks.length > 1 ? clockName(form) : undefined,
        zone,
      },
    ];
  });
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
  const times = full.filter((column) => !isPriceName(column.name) && !(isNoPriceName(column.name) && !isNamed(column)));
  const sure = times.filter((column) => !isCounter(column));
  // What counts like an id may still be the time, where else there is that of a recorder alone.
  const rest = narrowed(sure.every(({ name }) => isReceiveName(name)) ? times : sure, false);
  const hasPairs = pairs.plans.length + pairs.doubt.length > 0;
  const wholes = (all: readonly Column[], evidence: string): StampPlan[] => all.map((column) => whole(column, evidence, context));
  const isUnread = (column: Column): boolean =>
    column.stamp === undefined &&
    !column.isEmpty &&
    (isRoundedEpoch(column) ||
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
  const far = rest.find((column) => column !== best && !column.isConstant && !liesWithin(column.stamp!.us, best.stamp!.us, DAY_US));
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
  const isLoose = pool.every(({ stamp }) => isEpoch(stamp!.guess) && stamp!.us.every((us) => us % S_US === 0));
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

/** 1.66E+12: what a spreadsheet leaves of an epoch number. */
function isRoundedEpoch({ texts, stamp }: Column): boolean {
  const text = texts.find((each) => each !== '') ?? '';
  return stamp === undefined && /^\d(?:[.,]\d+)?e\+?(?:9|1[0-8])$/i.test(text);
}

/** A time of day that stays near that of the stamps and is not the same, to the second: that of another event of the row. */
function tellsOtherTime({ clocks, texts, isConstant }: Column, us: readonly number[]): boolean {
  return (
    !isConstant &&
    clocks.some((form) => {
      if (form.kind !== 'clock') return false;
      const apart = texts.flatMap((text, i) => {
        const bytes = sampleBytes(text);
        const timeUs = text === '' || us[i]! < 0 ? -1 : timeOfDayUs(bytes, 0, bytes.length, form);
        return timeUs < 0 ? [] : [Math.floor(us[i]! / S_US) - Math.floor(timeUs / S_US)];
      });
      const spread = Math.max(...apart) - Math.min(...apart);
      return apart.length >= MIN_LOCKSTEP_ROWS && spread > 0 && spread <= MAX_APART_S && new Set(texts).size > apart.length / 4;
    })
  );
}

/** Numbers that go on from row to row in one proportion to the time: another time, in a unit or from a year that is not known. */
function runsInLockstep({ numbers, texts }: Column, us: readonly number[]): boolean {
  const values = numbers[0]?.values ?? [];
  const rows = values.length - 1;
  if (rows < MIN_LOCKSTEP_ROWS || values.some(Number.isNaN)) return false;
  const slope = (values[rows]! - values[0]!) / (us[rows]! - us[0]!);
  const resolution = 10 ** -Math.max(...texts.map((text) => /[.,](\d+)$/.exec(text)?.[1]!.length ?? 0));
  const tolerance = 1.01 * resolution + Math.abs(slope) * 2000;
  const mean = (values[rows]! - values[0]!) / rows;
  let [missed, spread] = [0, 0];
  for (let i = 1; i <= rows; i++) {
    const step = values[i]! - values[i - 1]!;
    const miss = step - slope * (us[i]! - us[i - 1]!);
    if (!(Math.abs(miss) <= tolerance)) return false;
    missed += miss ** 2;
    spread += (step - mean) ** 2;
  }
  // Numbers that count rows stay near the time too, and their steps do not follow its steps.
  return Math.abs(values[rows]! - values[0]!) > 10 * tolerance && missed < 0.5 * spread;
}

/** Whether two times of the rows differ by no more than that, in the middle of all. */
function liesWithin(a: readonly number[], b: readonly number[], limitUs: number): boolean {
  const apart = a.map((us, i) => Math.abs(us - b[i]!)).sort((x, y) => x - y);
  return apart[Math.floor(apart.length / 2)]! <= limitUs;
}

const isEpoch = (guess: TimestampGuess): boolean => guess.isSure && guess.form.kind === 'epoch';

/**
 * Whole numbers that look like seconds since 1970 and grow by one, or by a few, from every row to the next are ids, unless their name says that
 * they are times: of ticks some share a second.
 */
function isCounter({ numbers, stamp }: Column): boolean {
  const [reading] = numbers;
  if (reading === undefined || !isEpoch(stamp!.guess)) return false;
  const steps = reading.values.slice(1).map((value, i) => value - reading.values[i]!);
  if (steps.length < 3) return false;
  if (steps.every((step) => Math.abs(step) === 1 && step === steps[0])) return true;
  const isSeconds = (formOf(stamp!.guess) as { unit?: string }).unit === 's';
  const isStrict = steps.every((step) => step > 0) || steps.every((step) => step < 0);
  const mean = Math.abs(reading.values.at(-1)! - reading.values[0]!) / steps.length;
  const isWhole = reading.values.every(Number.isInteger);
  return isWhole && isStrict && !steps.every((step) => step === steps[0]) && mean < (isSeconds ? MAX_ID_STEP : MAX_FINE_ID_STEP);
}

/** Of several columns with stamps: those that stand still go, of two that say the same the finer one stays, and of known names the likeliest. */
function narrowed(columns: readonly Column[], hasHeader: boolean): readonly Column[] {
  const moving = columns.filter(({ isConstant }) => !isConstant);
  const ordered = moving.filter((column) => timeRank(column.name) < Infinity || !isWild(column));
  let left = ordered.length > 0 ? ordered : moving.length > 0 ? moving : columns.slice(0, 1);
  const isReceived = (column: Column): boolean => isReceiveName(column.name);
  left = left.filter(
    (column) => !left.some((other) => other !== column && (!isReceived(other) || isReceived(column)) && says(other, column)),
  );
  if (left.length < 2 || !hasHeader) return left;
  const known = left.filter(({ name }) => timeRank(name) < UNKNOWN_RANK).sort((a, b) => timeRank(a.name) - timeRank(b.name));
  return known.length > 0 ? known.slice(0, 1) : left;
}

/** Days to and fro from row to row: numbers of orders that look like seconds since 1970. */
function isWild({ stamp }: Column): boolean {
  const steps = stamp!.us.slice(1).map((us, i) => us - stamp!.us[i]!);
  return [-1, 1].every((sign) => steps.filter((step) => sign * step > DAY_US).length > steps.length / 5);
}

/** Whether `fine` holds the stamps of `coarse`, in another zone perhaps, and tells more: digits below a second, or the zone. */
function says(fine: Column, coarse: Column): boolean {
  const [a, b] = [fine.stamp!.us, coarse.stamp!.us];
  const shift = Math.floor(a[0]! / S_US) * S_US - Math.floor(b[0]! / S_US) * S_US;
  if (Math.abs(shift) > 15 * HOUR_US || shift % (HOUR_US / 4) !== 0) return false;
  const isCoarse = b.every((us) => us % S_US === 0) && !isOnGrid(b);
  const isSame = a.every((us, i) => us < 0 || b[i]! < 0 || us - b[i]! === shift);
  // Fractions that differ from row to row are what the coarse one cut; one that stands still is the delay of another event.
  const isFiner =
    isCoarse &&
    new Set(a.map((us) => us % S_US)).size > Math.min(3, a.length / 2) &&
    a.every((us, i) => us < 0 || b[i]! < 0 || Math.floor(us / S_US) * S_US - b[i]! === shift);
  if (isFiner) return shift === 0 || isEpoch(fine.stamp!.guess);
  if (!isSame) return false;
  const [isA, isB] = [isEpoch(fine.stamp!.guess), isEpoch(coarse.stamp!.guess)];
  return isA === isB ? shift === 0 && fine.at < coarse.at : isA;
}

/** Steps that are all multiples of some seconds, or mostly one second, as those of bars: nothing was cut there, and a fraction next to it is a delay. */
function isOnGrid(us: readonly number[]): boolean {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  const steps = us.flatMap((each, i) => (i === 0 || each < 0 || us[i - 1]! < 0 ? [] : [Math.abs(each - us[i - 1]!)]));
  const grid = steps.reduce(divisor, 0);
  return us.length > 3 && (grid > S_US || steps.filter((step) => step === grid).length > MOSTLY * steps.length);
}

/** Whether `full` tells the same milliseconds as `coarse`, or the same seconds where that holds no more; in two zones perhaps. */
function sameSeconds(full: readonly number[], coarse: readonly number[]): boolean {
  const isWhole = coarse.every((us) => us % S_US === 0);
  const unitUs = isWhole ? S_US : 1000;
  const unit = (us: number): number => Math.floor(us / unitUs);
  const shift = unit(full[0]!) - unit(coarse[0]!);
  // One fraction in all rows, or small ones alone, are the delay of another event.
  const fractions = new Set(full.map((us) => us % S_US));
  const isSmall = fractions.size <= Math.min(3, full.length / 2) || (full.length > 3 && Math.max(...fractions) < MAX_DELAY_US);
  const isDelay = isWhole && ((fractions.size > 1 && isOnGrid(coarse)) || (isSmall && !fractions.has(0)));
  const isZone = (shift * unitUs) % (HOUR_US / 4) === 0;
  return isZone && !isDelay && full.every((us, i) => us < 0 || coarse[i]! < 0 || unit(us) - unit(coarse[i]!) === shift);
}

/** A column of dates with one of times of day. */
function datePairs(columns: readonly Column[], stamped: readonly Column[], context: Context): StampPlans {
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
    return { plans, doubt: `${shown(date, context)} holds dates alone, and ${shown(doubtful[0]!, context)} looks like a time of day` };
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
      ({ us }) => plans.every((plan) => !sameSeconds(us, plan.us)) && plans.some((plan) => liesWithin(us, plan.us, HOUR_US)),
    ),
  );
  const ambiguous = fine.find((time) => time.clocks.length > 1);
  if (ambiguous !== undefined) return { plans, doubt: ambiguousClock(ambiguous, context) };
  return { plans, doubt: '' };
}

/** 45300.604 next to 2024-01-09: days since some year, not seconds since midnight, which are not all of one second. */
function isDayNumber({ numbers }: Column, dates: readonly Column[]): boolean {
  const values = numbers[0]?.values ?? [];
  return dates.some(({ stamp }) => {
    const epochs = new Set(values.map((value, i) => Math.floor(value) - stamp!.us[i]! / DAY_US));
    const isKnown = epochs.has(25_569) || (values.length >= MIN_LOCKSTEP_ROWS && !values.every(Number.isInteger));
    return epochs.size === 1 && isKnown;
  });
}

/** Numbers since midnight in one unit alone that grow by one of it from row to row are ids. */
function countsByOne({ clocks, numbers }: Column): boolean {
  const values = numbers[0]?.values ?? [];
  return clocks[0]!.kind === 'elapsed' && values.length > 3 && values.every((value, i) => i === 0 || value - values[i - 1]! === 1);
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
  if (values === undefined || date === undefined || texts[0]!.length < 4) return false;
  const steps = values
    .slice(1)
    .flatMap((value, i) => (date.texts[i] === date.texts[i + 1] && value !== values[i] ? [value - values[i]!] : []));
  const forward = steps.filter((step) => step > 0).length;
  return steps.length >= 2 && Math.max(forward, steps.length - forward) >= 0.95 * steps.length;
}

/** Adds a column with the fraction of the second: by its name, or as a second way where its values only look like it. */
function withFraction(plan: StampPlan, columns: readonly Column[], named: Columns, context: Context): StampPlan[] {
  const isCoarse = plan.us.every((us) => us < 0 || us % S_US === 0);
  const taken = [plan.stampColumn, plan.timeColumn];
  const add = (column: Column, unit: SubUnit, evidence: string): StampPlan => {
    const power = unit === 'ms' ? 1e3 : unit === 'us' ? 1 : 1e-3;
    const values = column.numbers[0]!.values;
    const us = plan.us.map((each, i) => each + (Number.isNaN(values[i]!) ? 0 : Math.floor(values[i]! * power)));
    return { ...plan, us, fractionColumn: column.at, fractionUnit: unit, evidence: `${plan.evidence}, ${evidence}` };
  };
  if (named.ms !== undefined) {
    const column = columns[named.ms]!;
    if (column.numbers.length === 0) return [];
    const highest = Math.max(...column.numbers[0]!.values.filter((value) => !Number.isNaN(value)));
    const unit = fractionUnit(column.name) ?? (highest < 1e3 ? 'ms' : highest < 1e6 ? 'us' : 'ns');
    return [add(column, unit, 'the fraction of its seconds named by you')];
  }
  if (!isCoarse) return [plan];
  const fits = (column: Column, limit: number): boolean =>
    !taken.includes(column.at) &&
    column.numbers.length > 0 &&
    column.numbers[0]!.values.every((value) => !(value < 0 || value >= limit || value % 1 !== 0));
  const byName = columns.find((column) => {
    const unit = fractionUnit(column.name);
    return unit !== undefined && fits(column, unit === 'ms' ? 1e3 : unit === 'us' ? 1e6 : 1e9);
  });
  if (byName !== undefined) return [add(byName, fractionUnit(byName.name)!, 'with the fraction of the second')];
  if (named.time !== undefined) return [plan];
  const alike = (
    [
      ['ms', 1e3],
      ['us', 1e6],
    ] as const
  ).flatMap(([unit, limit]) =>
    columns
      .filter(
        (column) =>
          !isNoPriceName(column.name) &&
          fits(column, limit) &&
          (unit === 'ms' || !fits(column, 1e3)) &&
          !column.isConstant &&
          risesWithin(column.numbers[0]!.values, plan.us, limit),
      )
      .map((column) => add(column, unit, `the fraction of the second in ${shown(column, context)}`)),
  );
  return [plan, ...alike];
}

/** Whether values below `limit` rise from row to row as long as the second is the same, and spread: they look like its fraction. */
function risesWithin(values: readonly number[], us: readonly number[], limit: number): boolean {
  let pairs = 0;
  let rises = 0;
  for (let i = 1; i < values.length; i++) {
    if (us[i] !== us[i - 1] || values[i] === values[i - 1]) continue;
    pairs++;
    if (values[i]! > values[i - 1]!) rises++;
  }
  // Rows of one moment hold one fraction.
  const told = values.filter((value, i) => i === 0 || value !== values[i - 1] || us[i] !== us[i - 1]);
  const { counts, span } = movementOf(values);
  const isOneWay = rises >= MIN_RUNS * pairs || rises <= (1 - MIN_RUNS) * pairs;
  // Of few ticks a second: values up to the limit, hardly any of them twice.
  const isSpread = Math.max(...values) >= MIN_HIGHEST * limit && new Set(told).size >= MIN_DISTINCT * Math.min(told.length, 300);
  return isOneWay && (pairs >= MIN_PAIRS || isSpread) && !counts && !(span < 2);
}

/** Whether a form was told by the sample, or the user must say which of several it is. */
const formOf = (guess: TimestampGuess): TimestampForm => (guess.isSure ? guess.form : guess.forms[0]!);
