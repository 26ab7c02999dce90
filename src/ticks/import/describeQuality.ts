import { plural } from '../../core/plural.ts';
import { formatTimestamp } from '../timestamps.ts';
import type { Gap, QualityMonitor } from './QualityMonitor.ts';
import type { Advice, Finding, Severity, TrainedDensity } from './ImportReport.ts';

/** A forecast needs so many ticks. */
const MIN_TICKS = 199;
const MIN_GAP_US = 60e6;
/** Quiet minutes are normal at night; an hour is worth a look. */
const LONG_GAP_US = 3600e6;
/** A pause is reported if it is this many times the usual gap. */
const USUAL_GAPS = 100;
const MIN_FLAT_US = 3600e6;
const MIN_FLAT_TICKS = 50;
const HOUR_MINUTES = 60;
/** Of all ticks: up to so many have a fraction of a second where the source cuts the stamps to seconds. */
const MAX_FRACTIONAL = 0.01;
/** Of all rows: so many stand in runs of an even number of equal rows where a file was exported twice. */
const MIN_PAIRED_FRACTION = 0.99;

type Counted = {
  readonly severity: Severity;
  readonly text: (count: string, where: string) => string;
  readonly advice: readonly Advice[];
};

const source = (text: string): Advice => ({ code: 'source', text });
const command = (text: string): Advice => ({ code: 'command', text });
/** About rows that cannot be read. */
export const SO_MANY = 'So many are no slips: correct them, or export the file again.';
const nothing = (text: string): Advice => ({ code: 'nothing_to_do', text });

/** What the readers count, in words. */
const COUNTED: Readonly<Record<string, Counted>> = {
  'order.step_back': {
    severity: 'error',
    text: (count, where) => `${count} earlier than the row before, the first in ${where}`,
    advice: [],
  },
  'row.malformed': {
    severity: 'error',
    text: (count, where) => `${count} not readable, the first in ${where}`,
    advice: [source('Correct the row or remove it.'), command('Or leave it out of a copy: tickmark doctor FILE --fix.')],
  },
  'row.repeated': {
    severity: 'warning',
    text: (count, where) => `${count} byte for byte the row before, the first in ${where}`,
    advice: [source('Export the file again.'), command('Or leave the second rows out: tickmark doctor FILE --fix.')],
  },
  'row.no_price': {
    severity: 'warning',
    text: (count, where) => `${count} without a price left out, the first in ${where}`,
    advice: [source('Do nothing if the market was closed there, or if they are trades among quotes; otherwise export the file again.')],
  },
  'row.no_stamp': {
    severity: 'warning',
    text: (count, where) => `${count} without a time left out, the first in ${where}`,
    advice: [source('Do nothing if they are few: no tick can be made of a row without a time.')],
  },
  'row.header_again': {
    severity: 'info',
    text: (count, where) => `${count} that repeat the header left out, the first in ${where}`,
    advice: [nothing('Nothing; this is normal in concatenated files.')],
  },
  'row.cut_off': {
    severity: 'warning',
    text: (_count, where) => `The last row, ${where}, is cut off and was left out`,
    advice: [source('Download the file again: more may be missing than this row.')],
  },
  'row.nul_tail': {
    severity: 'warning',
    text: (_count, where) => `From ${where} on the file is filled up with zero bytes, which were left out`,
    advice: [source('Download the file again: ticks may be missing there.')],
  },
  'row.other': {
    severity: 'info',
    text: (count, where) => `${count} of another market or kind than those that are read, the first in ${where}; left out`,
    advice: [],
  },
  'price.not_positive': {
    severity: 'warning',
    text: (count, where) => `${count} with a price of 0 or less left out, the first in ${where}`,
    advice: [source('Do nothing if there are few; otherwise check that the right column is read.')],
  },
  'quote.crossed': {
    severity: 'warning',
    text: (count, where) => `${count} with a bid above the ask, the first in ${where}`,
    advice: [
      source('Do nothing if there are few; if it is every row, bid and ask are swapped.'),
      command('tickmark doctor FILE --fix leaves them out.'),
    ],
  },
  'zone.several_offsets': {
    severity: 'info',
    text: (count, where) => `${count} with another offset from UTC than the first row, the first in ${where}; each was read by its own`,
    advice: [nothing('Nothing; this is normal for a zone with daylight saving time.')],
  },
};

/** What the readers count, for the page that lists it. */
export const COUNTED_CODES: readonly string[] = Object.keys(COUNTED);

export type QualityContext = {
  readonly word: 'line' | 'row';
  /** What stamps without a zone were read as; undefined where they carry one. */
  readonly zone: string | undefined;
  readonly trained: TrainedDensity | undefined;
  /** Rows of data, those that were left out included. */
  readonly rows: number;
  /** Each row has a number of its own: equal rows are one event, written twice. */
  readonly hasRowIds: boolean;
  /** What is wrong with the first row that cannot be read, and whether there are too many of them to leave out. */
  readonly malformed: { readonly found: string; readonly isMany: boolean } | undefined;
  /** What to do about rows that are earlier than those before. */
  readonly lateAdvice: string;
  /** The end of next year. */
  readonly latestUs: number;
  /** Stamps are numbers, whose unit was told by the year that they give. */
  readonly isEpoch: boolean;
};

/** All findings, what keeps the file from being used first. */
export function describeQuality(seen: QualityMonitor, context: QualityContext): Finding[] {
  const findings = [
    ...counted(seen, context),
    ...tooFew(seen),
    ...stampsInDoubt(seen, context),
    ...equalStamps(seen),
    ...pauses(seen),
    ...notPositive(seen, context),
    ...withoutStamp(seen, context),
    ...spikes(seen),
    ...twoLevels(seen),
    ...flatStretch(seen),
    ...summerTime(seen, context),
    ...density(seen, context),
  ];
  const rank: Record<Severity, number> = { error: 0, warning: 1, info: 2 };
  return findings.sort((a, b) => rank[a.severity] - rank[b.severity]);
}

function counted(seen: QualityMonitor, context: QualityContext): Finding[] {
  const { word, malformed, lateAdvice } = context;
  return [...seen.counts].flatMap(([code, { count, firstLine }]) => {
    const row = COUNTED[code];
    if (row === undefined) return [];
    const { severity, advice } = row;
    const words = code === 'row.cut_off' ? '' : plural(count, 'row is', 'rows are');
    const text = row.text(words, `${word} ${firstLine}`);
    if (code === 'row.malformed')
      return [
        { code, severity, text: `${text}: ${malformed?.found}.`, advice: malformed?.isMany ? [source(SO_MANY)] : advice, count, firstLine },
      ];
    if (code === 'order.step_back') return [{ code, severity, text: `${text}.`, advice: [command(lateAdvice)], count, firstLine }];
    if (code === 'row.repeated') return [repeated(seen, context, { code, severity, text, advice, count, firstLine })];
    return [{ code, severity, text: `${text}.`, advice, count, firstLine }];
  });
}

/** Trades of one moment at one price are equal rows, in some files most of them. Only a file that was exported twice is worth advice. */
function repeated(seen: QualityMonitor, { rows, hasRowIds }: QualityContext, finding: Finding): Finding {
  const text = `${finding.text} (${percent(finding.count / rows)} of all rows)`;
  if (hasRowIds) return { ...finding, text: `${text}; each row has its own number, so these were written twice.` };
  if (seen.rowsInPairs >= MIN_PAIRED_FRACTION * rows) return { ...finding, text: `${text}: nearly every row occurs twice.` };
  return { ...finding, severity: 'info', text: `${text}, which is normal if several trades have the same stamp and price.`, advice: [] };
}

const percent = (fraction: number): string => `${Number((100 * fraction).toPrecision(2))} %`;

function tooFew({ ticks }: QualityMonitor): Finding[] {
  if (ticks >= MIN_TICKS) return [];
  const text = `The file holds ${plural(ticks, 'tick', 'ticks')}; a forecast needs ${MIN_TICKS} or more.`;
  return [{ code: 'ticks.too_few', severity: 'error', text, advice: [source('Export a longer stretch of time.')], count: ticks }];
}

const EARLIEST_US = Date.UTC(2000) * 1000;
const YEAR_US = 366 * 86_400e6;
/** So many ticks at this mean step, or a shorter one: hours of ticks that were read as seconds. */
const MIN_DENSE_TICKS = 199;
const MIN_STEP_US = 20;

function stampsInDoubt(
  { ticks, firstUs, lastUs, longestUs, midnightStamps, equalStamps }: QualityMonitor,
  { latestUs, isEpoch }: QualityContext,
): Finding[] {
  if (ticks === 0) return [];
  const findings: Finding[] = [];
  const found = (code: string, severity: Severity, text: string, advice: string): void =>
    void findings.push({ code, severity, text, advice: [source(advice)], count: 1 });
  const isOutside = firstUs < EARLIEST_US || lastUs > latestUs;
  if (isOutside || longestUs > YEAR_US)
    found(
      'stamp.year',
      isEpoch || longestUs > YEAR_US || lastUs > latestUs ? 'error' : 'warning',
      `The ticks run from ${formatTimestamp(firstUs)} to ${formatTimestamp(lastUs)}${longestUs > YEAR_US ? `, with ${duration(longestUs)} between two of them` : ''}: ticks before 2000 or after next year, and years without a tick, are mostly stamps that are read wrongly.`,
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

function twoLevels({ levels }: QualityMonitor): Finding[] {
  if (!levels.hasTwoLevels && levels.jump !== undefined)
    return [
      {
        code: 'price.two_levels',
        severity: 'error',
        text: `The price goes from ${levels.jump[0]} to ${levels.jump[1]} in one step and stays there: two markets, or two units, are joined in one file.`,
        advice: [source('Cut the file there, or export each market on its own.')],
        count: 1,
      },
    ];
  if (!levels.hasTwoLevels) return [];
  const [a, b] = levels.levels;
  return [
    {
      code: 'price.two_levels',
      severity: 'error',
      text: `The price jumps between two levels, ${a} and ${b}, ${plural(levels.switches, 'time', 'times')}: two markets, or two kinds of prices, are mixed in one column.`,
      advice: [
        source('Export each market on its own.'),
        command('Or say which rows are read: --symbol COLUMN=VALUE or --event COLUMN=VALUE.'),
      ],
      count: levels.switches,
    },
  ];
}

/** So many prices of 0 or less are no gaps: the column is another one, or the market trades below 0. */
const MAX_NOT_POSITIVE = 0.1;

function notPositive({ counts, kind, ticks, lastLine, lastRefusedLine }: QualityMonitor, { rows, word }: QualityContext): Finding[] {
  const count = counts.get('price.not_positive')?.count ?? 0;
  if (count === 0 || ticks === 0) return [];
  if (kind !== 'quotes' && count > MAX_NOT_POSITIVE * rows)
    return [
      {
        code: 'price.below_zero',
        severity: 'error',
        text: `${percent(count / rows)} of the prices are 0 or less: prices and spreads below 0 are not supported.`,
        advice: [source('Check that the column is the price; of a market that trades below 0 there are no forecasts.')],
        count,
      },
    ];
  if (lastRefusedLine <= lastLine) return [];
  return [
    {
      code: 'price.ends_without',
      severity: 'error',
      text: `The file ends with prices of 0 or less, from ${word} ${lastLine + 1} on: the last usable tick is older than the file.`,
      advice: [source('Export it again, or remove its last rows if the older ticks are what you want.')],
      count: 1,
    },
  ];
}

/** So many rows without a time are no gaps of a recorder. */
const MAX_NO_STAMP = 0.1;

function withoutStamp({ counts }: QualityMonitor, { rows }: QualityContext): Finding[] {
  const count = counts.get('row.no_stamp')?.count ?? 0;
  if (count <= MAX_NO_STAMP * rows) return [];
  return [
    {
      code: 'stamp.missing',
      severity: 'error',
      text: `${percent(count / rows)} of the rows have no time: the series would have holes.`,
      advice: [source('Check that this column is the time, or export the file again.')],
      count,
    },
  ];
}

/** Equal stamps are cut to seconds, or those of the fills of one order. */
function equalStamps({ equalStamps: count, fractionalStamps, ticks }: QualityMonitor): Finding[] {
  if (count < 0.02 * ticks) return [];
  const share = Math.round((100 * count) / ticks);
  const isCoarse = share >= 50 && fractionalStamps <= MAX_FRACTIONAL * ticks;
  const meaning = isCoarse
    ? ': the stamps are too coarse to tell how fast the market is'
    : ', which is normal if one order fills several times';
  return [
    {
      code: 'stamp.equal',
      severity: isCoarse ? 'warning' : 'info',
      text: `${share} % of the ticks carry the stamp of the tick before${meaning}.`,
      advice: isCoarse ? [source('Export with milliseconds, if the source has them.')] : [],
      count,
    },
  ];
}

function pauses({ gaps }: QualityMonitor): Finding[] {
  const usualUs = gaps.medianUs();
  const limitUs = Math.max(MIN_GAP_US, USUAL_GAPS * usualUs);
  const longest = gaps.longest().filter((gap) => lengthOf(gap) > limitUs);
  const [worst] = longest;
  if (worst === undefined) return [];
  const count = Math.max(longest.length, gaps.countAbove(limitUs));
  return [
    {
      code: 'gap.long',
      severity: lengthOf(worst) > Math.max(LONG_GAP_US, 1000 * usualUs) ? 'warning' : 'info',
      text: `${plural(count, 'pause is', 'pauses are')} longer than ${duration(limitUs)} (the usual step is ${duration(usualUs)}); the longest, weekends aside, is ${duration(lengthOf(worst))} from ${formatTimestamp(worst.fromUs)}.`,
      advice: [
        source('Do nothing where the market was closed; otherwise fill the gap from the source.'),
        source('A forecast only looks at the ticks after the last long pause.'),
      ],
      count,
    },
  ];
}

/** More spikes than this fraction of the ticks are no slips. */
const MAX_SPIKES = 0.01;

function spikes({ ticks: all, spikes: { ticks, firstUs, worst } }: QualityMonitor): Finding[] {
  if (ticks === 0) return [];
  const isMany = ticks > MAX_SPIKES * all;
  const text = `${plural(ticks, 'tick jumps', 'ticks jump')} away and the price comes back within five ticks, by up to ${Number((100 * worst).toPrecision(2))} %, the first at ${formatTimestamp(firstUs)}.`;
  return [
    {
      code: 'price.spike',
      severity: isMany ? 'error' : 'warning',
      text: isMany ? `${text.slice(0, -1)}: so many are no slips (${percent(ticks / all)} of the ticks).` : text,
      advice: isMany
        ? [
            source('Prices of two sources, or trades that were late or taken back, are mixed: export without them.'),
            command('Or say which rows are read: --event COLUMN=VALUE.'),
          ]
        : [
            source('Compare with another source: wrong ticks make moves that never happened.'),
            command('Or leave them out: tickmark doctor FILE --fix.'),
          ],
      count: ticks,
    },
  ];
}

function flatStretch({ flat }: QualityMonitor): Finding[] {
  if (flat.lengthUs < MIN_FLAT_US || flat.ticks < MIN_FLAT_TICKS) return [];
  const text = `The price does not change for ${duration(flat.lengthUs)} over ${plural(flat.ticks, 'tick', 'ticks')} from ${formatTimestamp(flat.fromUs)}.`;
  return [
    {
      code: 'price.flat',
      severity: 'warning',
      text,
      advice: [source('Check whether the feed stalled there, and remove that part.')],
      count: flat.ticks,
    },
  ];
}

function summerTime(seen: QualityMonitor, { zone }: QualityContext): Finding[] {
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
    seen.hoursMissing,
    `An hour is missing on a Sunday in March, ${plural(seen.hoursMissing, 'time', 'times')}: local time does so when summer time begins.`,
  );
  const opens = seen.weekOpens;
  const shifts = opens.filter((open, i) => i > 0 && Math.abs(Math.abs(open.minuteOfWeek - opens[i - 1]!.minuteOfWeek) - HOUR_MINUTES) <= 5);
  if (shifts.length > 0)
    found(
      'zone.session_shift',
      'info',
      shifts.length,
      `The week opens an hour earlier or later from ${formatTimestamp(shifts[0]!.us, 0)} on: the market follows summer time and the stamps do not, as is right for UTC.`,
      [],
    );
  return findings;
}

function density({ gaps }: QualityMonitor, { trained }: QualityContext): Finding[] {
  const medianMs = gaps.medianUs() / 1000;
  if (trained === undefined || Number.isNaN(medianMs)) return [];
  const [from, to] = trained.medianGapMs;
  if (medianMs >= from && medianMs <= to) return [];
  const isSparse = medianMs > to;
  return [
    {
      code: 'density.untrained',
      severity: 'warning',
      text: `The usual step between ticks is ${duration(medianMs * 1000)}; the model was trained on ${duration(from * 1000)} to ${duration(to * 1000)} and answers null outside of it.`,
      advice: isSparse
        ? [source('Use ticks in place of bars.'), command('Or train on this file: tickmark train --base --data FILE.')]
        : [command('Train on this file: tickmark train --base --data FILE.')],
      count: 1,
    },
  ];
}

const lengthOf = ({ fromUs, toUs }: Gap): number => toUs - fromUs;

function duration(us: number): string {
  const s = us / 1e6;
  if (s < 1) return `${Number((s * 1000).toPrecision(2))} ms`;
  if (s < 120) return `${Number(s.toPrecision(2))} s`;
  if (s < 7200) return `${Math.round(s / 60)} min`;
  return s < 172_800 ? `${Number((s / 3600).toFixed(1))} h` : `${Number((s / 86_400).toFixed(1))} days`;
}
