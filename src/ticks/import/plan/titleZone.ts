import { isZoneName } from '../DateReader.ts';
import { bracketed } from './names.ts';

/** Zones as people write them above a column. Reuters writes [G] for GMT. */
const SPOKEN: Readonly<Record<string, string>> = {
  ...{ g: 'UTC', et: 'America/New_York', eastern: 'America/New_York', est5edt: 'America/New_York', 'new york': 'America/New_York' },
  ...{ ny: 'America/New_York', ct: 'America/Chicago', central: 'America/Chicago', cst6cdt: 'America/Chicago', chicago: 'America/Chicago' },
  ...{ pt: 'America/Los_Angeles', london: 'Europe/London', frankfurt: 'Europe/Berlin', berlin: 'Europe/Berlin', mez: 'CET', mesz: 'CEST' },
  ...{ moscow: 'Europe/Moscow', tokyo: 'Asia/Tokyo', beijing: 'Asia/Shanghai', shanghai: 'Asia/Shanghai', 'hong kong': 'Asia/Hong_Kong' },
};

/** A zone by one of its names, as `--zone` takes it. */
export function zoneNamed(text: string): string | undefined {
  const name = text.replace(/ (?:time|zeit)$/i, '');
  return isZoneName(name) ? name : SPOKEN[name.toLowerCase()];
}

/** The zone that a title names: `Time (EET)`, `Date(UTC)`, `Datetime UTC`, `time_ny`. */
export function titleZone(title: string | undefined): string | undefined {
  if (title === undefined) return undefined;
  const inBrackets = bracketed(title)
    ?.split(/[,;] ?/)
    .map(zoneNamed)
    .find((zone) => zone !== undefined);
  return inBrackets ?? zoneNamed(/[ _]([a-z]\w{1,6})$/i.exec(title)?.[1] ?? '');
}
