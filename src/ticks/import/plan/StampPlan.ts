import { US_PER_DAY } from '../../timestamps.ts';
import type { SubUnit, TimeForm } from '../DateReader.ts';
import { formOf, guessTimestampFormat, sampleTimestamps, type TimestampGuess } from '../guessTimestampFormat.ts';
import { clockName } from './clockForms.ts';
import type { Column } from './columns.ts';
import { titleZone } from './titleZone.ts';

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

const NO_FRACTION = { fractionColumn: -1, fractionUnit: 'ms' } as const;

export type StampPlans = {
  readonly plans: readonly StampPlan[];
  /** Why there is not exactly one. */
  readonly doubt: string;
  /** What to do where no option reads the times. */
  readonly remedy?: string;
};

export type Context = {
  readonly rows: readonly (readonly string[])[];
  readonly titles: readonly string[] | undefined;
  readonly nowMs: number;
  /** The form of a time in digits, as the user named it. */
  readonly clock: string | undefined;
  /** Why the columns that `named` holds are those of the time. */
  readonly namedBy: string;
};

export const isMidnight = (us: readonly number[]): boolean => us.length > 0 && us.every((each) => each < 0 || each % US_PER_DAY === 0);
export const shown = ({ at }: Column, { titles }: Context): string => (titles?.[at] ? JSON.stringify(titles[at]) : `column ${at + 1}`);

export function whole({ at, stamp }: Column, evidence: string, { titles }: Context): StampPlan {
  return {
    ...{ ...NO_FRACTION, stampColumn: at, timeColumn: -1, guess: stamp!.guess, us: stamp!.us, evidence },
    clock: undefined,
    zone: titleZone(titles?.[at]),
  };
}

export const ambiguousClock = (time: Column, context: Context): string =>
  `the times of day in ${shown(time, context)} (${time.texts[0]}) may be written in several ways: hours, minutes and seconds, or counted from midnight`;

export function pairPlans(date: Column, time: Column, evidence: string, context: Context): StampPlan[] {
  // CTP, and what records it: the night session belongs to the next trading day.
  const isWeekend = date.stamp?.us.some((us) => us >= 0 && new Date(us / 1000).getUTCDay() % 6 === 0) === true;
  const isSession = date.name === 'tradingday' && time.name === 'updatetime' && !isWeekend;
  const forms = time.clocks.filter((form) => context.clock === undefined || clockName(form) === context.clock);
  return forms.flatMap((form: TimeForm) => {
    const guess = guessTimestampFormat(date.texts, { texts: time.texts, form, isSession }, context.nowMs);
    if (guess === undefined) return [];
    const at = { stampColumn: date.at, timeColumn: time.at };
    const us = sampleTimestamps(context.rows, at, formOf(guess));
    const zone = titleZone(context.titles?.[time.at]) ?? titleZone(context.titles?.[date.at]);
    return [
      {
        ...{ ...at, ...NO_FRACTION, guess, us, zone },
        evidence: isSession ? `${evidence}, evenings on the weekday before` : evidence,
        clock: time.clocks.length > 1 ? clockName(form) : undefined,
      },
    ];
  });
}
