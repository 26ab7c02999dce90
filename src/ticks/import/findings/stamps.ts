import { plural } from '../../../core/plural.ts';
import { formatTimestamp, US_PER_YEAR } from '../../timestamps.ts';
import type { Advice, Finding, Severity } from '../ImportReport.ts';
import type { Gap, QualityMonitor } from '../QualityMonitor.ts';
import { command, duration, finding, percent, source, type QualityContext } from './words.ts';

const MIN_GAP_US = 60e6;
/** Quiet minutes are normal at night; an hour is worth a look. */
const LONG_GAP_US = 3600e6;
/** A pause is reported if it is this many times the usual gap. */
const USUAL_GAPS = 100;
const HOUR_MINUTES = 60;
/** Of all ticks: up to so many have a fraction of a second where the source cuts the stamps to seconds. */
const MAX_FRACTIONAL = 0.01;
const EARLIEST_US = Date.UTC(2000) * 1000;
/** So many ticks at this mean step, or a shorter one: hours of ticks that were read as seconds. */
const MIN_DENSE_TICKS = 199;
const MIN_STEP_US = 20;

export function stampsInDoubt(
  { ticks, firstUs, lastUs, longestUs, midnightStamps, equalStamps }: QualityMonitor,
  { latestUs, isEpoch }: QualityContext,
): Finding[] {
  if (ticks === 0) return [];
  const findings: Finding[] = [];
  const found = (code: string, severity: Severity, text: string, advice: string): void =>
    void findings.push(finding(code, severity, text, [source(advice)]));
  const isOutside = firstUs < EARLIEST_US || lastUs > latestUs;
  if (isOutside || longestUs > US_PER_YEAR)
    found(
      'stamp.year',
      isEpoch || longestUs > US_PER_YEAR || lastUs > latestUs ? 'error' : 'warning',
      `The ticks run from ${formatTimestamp(firstUs)} to ${formatTimestamp(lastUs)}${longestUs > US_PER_YEAR ? `, with ${duration(longestUs)} between two of them` : ''}: ticks before 2000 or after next year, and years without a tick, are mostly stamps that are read wrongly.`,
      'Check the first and the last stamp in the file; remove rows of another year.',
    );
  if (midnightStamps === ticks && ticks > 1)
    found(
      'stamp.midnight',
      'error',
      'Every stamp is 00:00:00: the file holds dates without a time of day, or its time stands in another column.',
      'Name the column with the time: --columns date=NAME,time=NAME; ticks without a time of day give no forecast.',
    );
  const spanUs = lastUs - firstUs;
  // Rows out of order may end before the first one.
  if (ticks >= MIN_DENSE_TICKS && equalStamps < ticks / 2 && spanUs >= 0 && spanUs < MIN_STEP_US * ticks)
    found(
      'stamp.span',
      'error',
      `${plural(ticks, 'tick', 'ticks')} lie within ${duration(spanUs)}: no market is so fast, and the unit of the stamps is mostly another one.`,
      'Check the unit of the stamps; of a time of day in digits, say it: --columns date=NAME,time=NAME,clock=ms.',
    );
  return findings;
}

/** So many rows without a time are no gaps of a recorder. */
const MAX_NO_STAMP = 0.1;

export function withoutStamp({ counts }: QualityMonitor, { rows }: QualityContext): Finding[] {
  const count = counts.get('row.no_stamp')?.count ?? 0;
  if (count <= MAX_NO_STAMP * rows) return [];
  return [
    finding(
      'stamp.missing',
      'error',
      `${percent(count / rows)} of the rows have no time: the series would have holes.`,
      [source('Check that this column is the time, or export the file again.')],
      count,
    ),
  ];
}

/** Equal stamps are cut to seconds, or those of the fills of one order. */
export function equalStamps({ equalStamps: count, fractionalStamps, ticks }: QualityMonitor): Finding[] {
  if (count < 0.02 * ticks) return [];
  const share = Math.round((100 * count) / ticks);
  const isCoarse = share >= 50 && fractionalStamps <= MAX_FRACTIONAL * ticks;
  const meaning = isCoarse
    ? ': the stamps are too coarse to tell how fast the market is'
    : ', which is normal if one order fills several times';
  return [
    finding(
      'stamp.equal',
      isCoarse ? 'warning' : 'info',
      `${share} % of the ticks carry the stamp of the tick before${meaning}.`,
      isCoarse ? [source('Export with milliseconds, if the source has them.')] : [],
      count,
    ),
  ];
}

export function pauses({ gaps }: QualityMonitor): Finding[] {
  const usualUs = gaps.medianUs();
  const limitUs = Math.max(MIN_GAP_US, USUAL_GAPS * usualUs);
  const longest = gaps.longest().filter((gap) => lengthOf(gap) > limitUs);
  const [worst] = longest;
  if (worst === undefined) return [];
  const count = Math.max(longest.length, gaps.countAbove(limitUs));
  return [
    finding(
      'gap.long',
      lengthOf(worst) > Math.max(LONG_GAP_US, 1000 * usualUs) ? 'warning' : 'info',
      `${plural(count, 'pause is', 'pauses are')} longer than ${duration(limitUs)} (the usual step is ${duration(usualUs)}); the longest, weekends aside, is ${duration(lengthOf(worst))} from ${formatTimestamp(worst.fromUs)}.`,
      [
        source('Do nothing where the market was closed; otherwise fill the gap from the source.'),
        source('A forecast only looks at the ticks after the last long pause.'),
      ],
      count,
    ),
  ];
}

export function summerTime(seen: QualityMonitor, { zone }: QualityContext): Finding[] {
  const findings: Finding[] = [];
  const askForZone =
    zone === undefined
      ? source('Ask the source which zone its stamps are in.')
      : command('If the stamps are local time, name the place: --zone America/New_York.');
  const found = (code: string, severity: Severity, count: number, text: string, advice: readonly Advice[] = [askForZone]): void => {
    if (count > 0) findings.push({ code, severity, count, text, advice });
  };
  found(
    'zone.hour_doubled',
    'warning',
    seen.hoursDoubled,
    `Stamps step back by about an hour, ${plural(seen.hoursDoubled, 'time', 'times')}: local time does so when summer time ends.`,
  );
  found(
    'zone.hour_missing',
    'warning',
    seen.hoursPaused > 0 ? 0 : seen.hoursMissing,
    `An hour is missing on a Sunday in March, ${plural(seen.hoursMissing, 'time', 'times')}: local time does so when summer time begins.`,
  );
  const opens = seen.weekOpens;
  const shifts = opens.filter((open, i) => i > 0 && Math.abs(Math.abs(open.minuteOfWeek - opens[i - 1].minuteOfWeek) - HOUR_MINUTES) <= 5);
  if (shifts.length > 0)
    found(
      'zone.session_shift',
      'info',
      shifts.length,
      `The week opens an hour earlier or later from ${formatTimestamp(shifts[0].us, 0)} on: the market follows summer time and the stamps do not, as is right for UTC.`,
      [],
    );
  return findings;
}

const lengthOf = ({ fromUs, toUs }: Gap): number => toUs - fromUs;
