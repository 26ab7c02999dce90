import type { ByteReader } from './bytes.ts';
import type { OwnQuestion } from './OwnWeights.ts';
import type { TouchQuestion } from './TouchOutcomes.ts';

/** Means of outcomes are over this many; from then on, older outcomes fade. */
const MOST_OUTCOMES = 400;
const MOST_LEVELS = 2000;
/** `hour`, `day`, `hours` and `week`, either way: logarithms of a ratio of volatilities. */
const MOST_LEVEL = 2000;

/** What was forecast. */
export type Answered = {
  readonly theta: number;
  readonly probability: number;
  /** The inputs before their means are subtracted; NaN if they are undefined. */
  readonly hour: number;
  readonly day: number;
  readonly hours: number;
  readonly week: number;
  /** What the own weights of the series learn from; absent: nothing. */
  readonly own?: OwnQuestion;
  /** Its ranges, log price, one for each of RANGE_LEVELS, NaN for none; absent: it had none. */
  readonly ranges?: readonly number[];
  /** What it was asked about touches; absent: nothing. */
  readonly touches?: TouchQuestion | undefined;
};

/** Means over due forecasts, none of which overlap. */
export type Outcomes = {
  /** All due forecasts. */
  readonly count: number;
  /** Those of the present version, at most 400. */
  readonly compared: number;
  readonly meanProbability: number;
  readonly meanOutcome: number;
  /** Those with `hour` and `day`, at most 2,000. */
  readonly levels: number;
  readonly meanHour: number;
  readonly meanDay: number;
  /** Those with `hours` and `week`, at most 2,000. */
  readonly clockLevels: number;
  readonly meanHours: number;
  readonly meanWeek: number;
};

export const OUTCOME_FIELDS = [
  ...['count', 'compared', 'meanProbability', 'meanOutcome', 'levels', 'meanHour', 'meanDay'],
  ...['clockLevels', 'meanHours', 'meanWeek'],
] as readonly (keyof Outcomes)[];
export const NO_OUTCOMES = Object.fromEntries(OUTCOME_FIELDS.map((name) => [name, 0])) as Outcomes;

export function withOutcome(before: Outcomes, { probability, hour, day, hours, week }: Answered, outcome: 0 | 1): Outcomes {
  const compared = Math.min(before.compared + 1, MOST_OUTCOMES);
  const hasLevels = Number.isFinite(hour) && Number.isFinite(day);
  const levels = hasLevels ? Math.min(before.levels + 1, MOST_LEVELS) : before.levels;
  const step = hasLevels ? 1 / levels : 0;
  const hasClock = Number.isFinite(hours) && Number.isFinite(week);
  const clockLevels = hasClock ? Math.min(before.clockLevels + 1, MOST_LEVELS) : before.clockLevels;
  return {
    count: before.count + 1,
    compared,
    meanProbability: before.meanProbability + (probability - before.meanProbability) / compared,
    meanOutcome: before.meanOutcome + (outcome - before.meanOutcome) / compared,
    levels,
    meanHour: hasLevels ? before.meanHour + (hour - before.meanHour) * step : before.meanHour,
    meanDay: hasLevels ? before.meanDay + (day - before.meanDay) * step : before.meanDay,
    clockLevels,
    meanHours: hasClock ? before.meanHours + (hours - before.meanHours) / clockLevels : before.meanHours,
    meanWeek: hasClock ? before.meanWeek + (week - before.meanWeek) / clockLevels : before.meanWeek,
  };
}

/** `isOlder`: there are no levels of the clock. */
export function loadOutcomes(from: ByteReader, isOlder: boolean): Outcomes {
  const count = from.count('outcomes');
  const compared = from.count('compared outcomes', Math.min(count, MOST_OUTCOMES));
  const meanProbability = from.number('mean probability', 0, 1);
  const meanOutcome = from.number('mean outcome', 0, 1);
  const levels = from.count('outcomes with a level', Math.min(count, MOST_LEVELS));
  const meanHour = from.number('mean of hour', -MOST_LEVEL, MOST_LEVEL);
  const meanDay = from.number('mean of day', -MOST_LEVEL, MOST_LEVEL);
  const isMean = compared === 0 ? meanProbability + meanOutcome === 0 : meanProbability > 0 && meanProbability < 1;
  from.check(isMean, `${compared} outcomes have the mean probability ${meanProbability} and the mean outcome ${meanOutcome}`);
  from.check(levels > 0 || (meanHour === 0 && meanDay === 0), 'no outcome has a level, but there is a mean of them');
  const [clockLevels, meanHours, meanWeek] = isOlder
    ? [0, 0, 0]
    : [
        from.count('outcomes with a level of the clock', Math.min(count, MOST_LEVELS)),
        from.number('mean of hours', -MOST_LEVEL, MOST_LEVEL),
        from.number('mean of week', -MOST_LEVEL, MOST_LEVEL),
      ];
  from.check(clockLevels > 0 || (meanHours === 0 && meanWeek === 0), 'no outcome has a level of the clock, but there is a mean of them');
  return { count, compared, meanProbability, meanOutcome, levels, meanHour, meanDay, clockLevels, meanHours, meanWeek };
}

/** Inputs of a forecast before their means are subtracted. `isOlder`: there are none of the clock. */
export const loadLevels = (from: ByteReader, isOlder: boolean): Pick<Answered, 'hour' | 'day' | 'hours' | 'week'> => ({
  hour: from.numberOrNone('hour', -MOST_LEVEL, MOST_LEVEL),
  day: from.numberOrNone('day', -MOST_LEVEL, MOST_LEVEL),
  hours: isOlder ? NaN : from.numberOrNone('hours', -MOST_LEVEL, MOST_LEVEL),
  week: isOlder ? NaN : from.numberOrNone('week', -MOST_LEVEL, MOST_LEVEL),
});
