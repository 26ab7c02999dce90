import { US_PER_SECOND } from '../../../core/units.ts';
import { US_PER_DAY, US_PER_HOUR } from '../../timestamps.ts';
import { timeOfDayUs } from '../digitTimes.ts';
import { formOf, type TimestampGuess } from '../guessTimestampFormat.ts';
import { sampleBytes } from '../sampleBytes.ts';
import type { Column } from './columns.ts';
import { isReceiveName, timeRank, UNKNOWN_RANK } from './names.ts';

const MIN_LOCKSTEP_ROWS = 8;
/** Ids that leave out more are rare; ticks a few milliseconds apart are not. */
const MAX_ID_STEP = 30;
const MAX_FINE_ID_STEP = 5;
const MAX_APART_S = 120;
const MAX_DELAY_US = 50_000;
/** Of the steps between bars: few are longer. */
const MOSTLY = 0.8;

/** 1.66E+12: what a spreadsheet leaves of an epoch number. */
export function isRoundedEpoch({ texts, stamp }: Column): boolean {
  const text = texts.find((each) => each !== '') ?? '';
  return stamp === undefined && /^\d(?:[.,]\d+)?e\+?(?:9|1[0-8])$/i.test(text);
}

/** Words of one length that run in the order of letters and mostly differ: digits of another base may be the time of the row. */
export function runsAsText({ texts, numbers }: Column): boolean {
  if (numbers.length > 0 || new Set(texts).size < texts.length / 2) return false;
  const areAlike = texts.every((text) => /^[\da-z]{8,}$/i.test(text) && text.length === texts[0].length);
  const steps = texts.slice(1).map((text, i) => Number(text >= texts[i]) - Number(text <= texts[i]));
  return areAlike && (steps.every((step) => step >= 0) || steps.every((step) => step <= 0));
}

/** A time of day that stays near that of the stamps and is not the same, to the second: that of another event of the row. */
export function tellsOtherTime({ clocks, texts, isConstant }: Column, us: readonly number[]): boolean {
  return (
    !isConstant &&
    clocks.some((form) => {
      if (form.kind !== 'clock') return false;
      const apart = texts.flatMap((text, i) => {
        const bytes = sampleBytes(text);
        const timeUs = text === '' || us[i] < 0 ? -1 : timeOfDayUs(bytes, 0, bytes.length, form);
        return timeUs < 0 ? [] : [Math.floor(us[i] / US_PER_SECOND) - Math.floor(timeUs / US_PER_SECOND)];
      });
      const spread = Math.max(...apart) - Math.min(...apart);
      return apart.length >= MIN_LOCKSTEP_ROWS && spread > 0 && spread <= MAX_APART_S && new Set(texts).size > apart.length / 4;
    })
  );
}

/** Numbers that go on from row to row in one proportion to the time: another time, in a unit or from a year that is not known. */
export function runsInLockstep({ numbers, texts }: Column, us: readonly number[]): boolean {
  const values = numbers[0]?.values ?? [];
  const rows = values.length - 1;
  if (rows < MIN_LOCKSTEP_ROWS || values.some(Number.isNaN)) return false;
  const slope = (values[rows] - values[0]) / (us[rows] - us[0]);
  const resolution = 10 ** -Math.max(...texts.map((text) => /[.,](\d+)$/.exec(text)?.[1].length ?? 0));
  const tolerance = 1.01 * resolution + Math.abs(slope) * 2000;
  const mean = (values[rows] - values[0]) / rows;
  let [missed, spread] = [0, 0];
  for (let i = 1; i <= rows; i++) {
    const step = values[i] - values[i - 1];
    const miss = step - slope * (us[i] - us[i - 1]);
    if (!(Math.abs(miss) <= tolerance)) return false;
    missed += miss ** 2;
    spread += (step - mean) ** 2;
  }
  // Numbers that count rows stay near the time too, and their steps do not follow its steps.
  return Math.abs(values[rows] - values[0]) > 10 * tolerance && missed < 0.5 * spread;
}

/** Whether two times of the rows run apart: in another zone, or received later, one stays as far from the other. */
export function runApart(a: readonly number[], b: readonly number[], limitUs: number): boolean {
  const apart = a.flatMap((us, i) => (us < 0 || b[i] < 0 ? [] : [us - b[i]]));
  return Math.max(...apart) - Math.min(...apart) > limitUs;
}

/** Whether two times of the rows differ by no more than that, in the middle of all. */
export function liesWithin(a: readonly number[], b: readonly number[], limitUs: number): boolean {
  const apart = a.map((us, i) => Math.abs(us - b[i])).sort((x, y) => x - y);
  return apart[Math.floor(apart.length / 2)] <= limitUs;
}

export const isEpoch = (guess: TimestampGuess): boolean => guess.isSure && guess.form.kind === 'epoch';

/**
 * Whole numbers that look like seconds since 1970 and grow by one, or by a few, from every row to the next are ids, unless their name says that
 * they are times: of ticks some share a second.
 */
export function isCounter({ numbers, stamp }: Column): boolean {
  const [reading] = numbers;
  if (reading === undefined || !isEpoch(stamp!.guess)) return false;
  const steps = reading.values.slice(1).map((value, i) => value - reading.values[i]);
  if (steps.length < 3) return false;
  if (steps.every((step) => Math.abs(step) === 1 && step === steps[0])) return true;
  const isSeconds = (formOf(stamp!.guess) as { unit?: string }).unit === 's';
  const isStrict = steps.every((step) => step > 0) || steps.every((step) => step < 0);
  const mean = Math.abs(reading.values.at(-1)! - reading.values[0]) / steps.length;
  const isWhole = reading.values.every(Number.isInteger);
  return isWhole && isStrict && !steps.every((step) => step === steps[0]) && mean < (isSeconds ? MAX_ID_STEP : MAX_FINE_ID_STEP);
}

/** Of several columns with stamps: those that stand still go, of two that say the same the finer one stays, and of known names the likeliest. */
export function narrowed(columns: readonly Column[], hasHeader: boolean): readonly Column[] {
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
  const steps = stamp!.us.slice(1).map((us, i) => us - stamp!.us[i]);
  return [-1, 1].every((sign) => steps.filter((step) => sign * step > US_PER_DAY).length > steps.length / 5);
}

/** Whether `fine` holds the stamps of `coarse`, in another zone perhaps, and tells more: digits below a second, or the zone. */
function says(fine: Column, coarse: Column): boolean {
  const [a, b] = [fine.stamp!.us, coarse.stamp!.us];
  const shift = Math.floor(a[0] / US_PER_SECOND) * US_PER_SECOND - Math.floor(b[0] / US_PER_SECOND) * US_PER_SECOND;
  if (Math.abs(shift) > 15 * US_PER_HOUR || shift % (US_PER_HOUR / 4) !== 0) return false;
  const isCoarse = b.every((us) => us % US_PER_SECOND === 0) && !isOnGrid(b);
  const isSame = a.every((us, i) => us < 0 || b[i] < 0 || us - b[i] === shift);
  // Fractions that differ from row to row are what the coarse one cut; one that stands still is the delay of another event.
  const isFiner =
    isCoarse &&
    new Set(a.map((us) => us % US_PER_SECOND)).size > Math.min(3, a.length / 2) &&
    a.every((us, i) => us < 0 || b[i] < 0 || Math.floor(us / US_PER_SECOND) * US_PER_SECOND - b[i] === shift);
  if (isFiner) return shift === 0 || isEpoch(fine.stamp!.guess);
  if (!isSame) return false;
  const [isA, isB] = [isEpoch(fine.stamp!.guess), isEpoch(coarse.stamp!.guess)];
  return isA === isB ? shift === 0 && fine.at < coarse.at : isA;
}

/** Steps that are all multiples of some seconds, or mostly one second, as those of bars: nothing was cut there, and a fraction next to it is a delay. */
function isOnGrid(us: readonly number[]): boolean {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  const steps = us.flatMap((each, i) => (i === 0 || each < 0 || us[i - 1] < 0 ? [] : [Math.abs(each - us[i - 1])]));
  const grid = steps.reduce(divisor, 0);
  return us.length > 3 && (grid > US_PER_SECOND || steps.filter((step) => step === grid).length > MOSTLY * steps.length);
}

/** Whether `full` tells the same milliseconds as `coarse`, or the same seconds where that holds no more; in two zones perhaps. */
export function sameSeconds(full: readonly number[], coarse: readonly number[]): boolean {
  const isWhole = coarse.every((us) => us % US_PER_SECOND === 0);
  const unitUs = isWhole ? US_PER_SECOND : 1000;
  const unit = (us: number): number => Math.floor(us / unitUs);
  const shift = unit(full[0]) - unit(coarse[0]);
  // One fraction in all rows, or small ones alone, are the delay of another event.
  const fractions = new Set(full.map((us) => us % US_PER_SECOND));
  const isSmall = fractions.size <= Math.min(3, full.length / 2) || (full.length > 3 && Math.max(...fractions) < MAX_DELAY_US);
  const isDelay = isWhole && ((fractions.size > 1 && isOnGrid(coarse)) || (isSmall && !fractions.has(0)));
  const isZone = (shift * unitUs) % (US_PER_HOUR / 4) === 0;
  return isZone && !isDelay && full.every((us, i) => us < 0 || coarse[i] < 0 || unit(us) - unit(coarse[i]) === shift);
}
