import { isZoneName, type TimestampForm } from '../DateReader.ts';
import { stampUs } from '../guessTimestampFormat.ts';
import { TimestampParser } from '../TimestampParser.ts';
import type { Column } from './columns.ts';
import { bracketed } from './names.ts';
import type { StampPlan } from './StampPlan.ts';
import type { Table } from './Table.ts';
import { titleZone, zoneNamed } from './titleZone.ts';

/** Short names of several zones, and the places that are meant most. */
const SEVERAL: Readonly<Record<string, readonly string[]>> = {
  cst: ['America/Chicago', 'Asia/Shanghai'],
  ist: ['Asia/Kolkata', 'Asia/Jerusalem'],
  bst: ['Europe/London', 'Asia/Dhaka'],
  ast: ['America/Halifax', 'Asia/Riyadh'],
};
const ANY = ['UTC', 'America/New_York'];
/** What else stands in brackets behind a time: its unit, or how it is written. */
const UNIT =
  /^(?:s|secs?|seconds?|ms|msecs?|millis(?:econds?)?|[uµ]s|micros(?:econds?)?|ns|nanos(?:econds?)?|unix|epoch|posix|iso(?: ?8601)?|excel|12h|24h)$/i;
const FORM = /^[ymdhsfntz.:/,_ +-]*(?:yy|mm|dd|hh|ss)[ymdhsfntz.:/,_ +-]*$/i;

/** What stands in brackets behind a title and is neither a zone that is known, nor a unit, nor a form of dates. */
function oddWord(title: string): string | undefined {
  const last = /[ _]([a-z]{3})$/i.exec(title)?.[1] ?? '';
  const text = bracketed(title) ?? (last.toLowerCase() in SEVERAL ? last : undefined);
  return text === undefined || titleZone(title) !== undefined || UNIT.test(text) || FORM.test(text) ? undefined : text;
}

export type ZoneDoubt = { readonly found: string; /** As `--zone` names them. */ readonly zones: readonly string[] };

const ZONE_COLUMN = /^(?:tz|timezone|zone|tzname|(?:gmt|utc|tz|zone|timezone)off(?:set)?)$/;
const MAX_ZONES = 4;

/** Why the zone of stamps that carry none is in doubt: a title, or another column, names one that is not that of the reading for sure. */
export function doubtfulZone(
  stamp: StampPlan,
  form: TimestampForm,
  columns: readonly Column[],
  { titles, above }: Pick<Table, 'titles' | 'above'>,
): ZoneDoubt | undefined {
  if (stamp.zone !== undefined || carriesZone(stamp, form, columns)) return undefined;
  const used = [stamp.timeColumn, stamp.stampColumn].filter((at) => at >= 0);
  for (const title of used.map((at) => titles?.[at] ?? '')) {
    const word = oddWord(title);
    if (word === undefined) continue;
    return {
      found: `the title ${JSON.stringify(title)} says of which zone or place the stamps are, and ${JSON.stringify(word)} is not known as one`,
      zones: SEVERAL[word.toLowerCase()] ?? ANY,
    };
  }
  for (const line of above) {
    const zone = zoneIn(line);
    if (zone === 'UTC') return undefined;
    if (zone !== undefined)
      return {
        found: `the line ${JSON.stringify(line.slice(0, 80))} above the columns names a zone, and the stamps carry none`,
        zones: [zone, 'UTC'],
      };
  }
  for (const column of columns) {
    const { at, name, texts } = column;
    const values = [...new Set(texts.filter((text) => text !== ''))];
    if (used.includes(at) || values.length === 0 || values.length > MAX_ZONES) continue;
    const zones = values.map((text) => zoneOf(text, ZONE_COLUMN.test(name)));
    const isZone = titles === undefined ? values.every((text) => /^[A-Z]{3,4}$|\//.test(text) && isZoneName(text)) : ZONE_COLUMN.test(name);
    if (!isZone || zones.every((zone) => zone === 'UTC')) continue;
    const known = zones.flatMap((zone) => (zone === undefined ? [] : [zone]));
    return {
      found: `${titles?.[at] ? JSON.stringify(titles[at]) : `column ${at + 1}`} holds the zone ${values.map((text) => JSON.stringify(text)).join(', ')}, and the stamps carry none: they may be of that zone, or of UTC`,
      // Of several offsets, a place tells which holds when.
      zones: known.length === 1 ? [known[0], 'UTC'] : ANY,
    };
  }
  return undefined;
}

/** The zone that a line of text names: `# Time zone: EST`, `All times in CET`. */
function zoneIn(line: string): string | undefined {
  const [, text = ''] = /(?:zone|\btz\b|\btimes?\b)(.*)$/i.exec(line) ?? [];
  return text
    .split(/[\s,;:="'()]+/)
    .filter((word) => /^[A-Z]{3,4}$|^[A-Z]\w+\/\w+$|^(?:UTC|GMT)[+-]/.test(word))
    .map(zoneNamed)
    .find((zone) => zone !== undefined);
}

/** A zone as `--zone` takes it: by its name, or by an offset in hours, minutes or seconds. */
function zoneOf(text: string, isOffset: boolean): string | undefined {
  if (/^(?:UTC|GMT|Z|[+-]?0+(?::?00)?(?:\.0+)?)$/i.test(text)) return 'UTC';
  const value = isOffset && !/^[+-]\d{4}$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(value)) return zoneNamed(text);
  if (!(Math.abs(value) <= 15 * 3600)) return undefined;
  const minutes = Math.round(Math.abs(value) <= 15 ? value * 60 : Math.abs(value) <= 900 ? value : value / 60);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
}

function carriesZone({ stampColumn, timeColumn, us }: StampPlan, form: TimestampForm, columns: readonly Column[]): boolean {
  const row = us.findIndex((each) => each >= 0);
  const parser = new TimestampParser(form);
  const textOf = (at: number): string => columns[at].texts[row] ?? '';
  stampUs(parser, textOf(stampColumn), timeColumn < 0 ? undefined : textOf(timeColumn));
  return parser.hasZone;
}
