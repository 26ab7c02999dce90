import { parseTimestampUs, writeTimestamp } from '../../ticks/timestamps.ts';
import { MS_PER_S } from './TickSeries.ts';

/** `HH:MM:SS.fff`, the part of the day. */
export function formatClock(us: number): string {
  return writeTimestamp(us).slice(11);
}

/** A time in the form of the wire; null where the text is none. */
export function parseTimestamp(text: string): number | null {
  const us = parseTimestampUs(text.trim());
  return us < 0 ? null : us;
}

const S_PER_MIN = 60;
const S_PER_H = 3600;

const trimmed = (value: number, digits: number): string => String(Number(value.toFixed(digits)));

/** A length of time in words: `850 ms`, `10 s`, `1 min 30 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatSpan(ms: number): string {
  if (ms < MS_PER_S) return `${trimmed(ms, 0)} ms`;
  const s = ms / MS_PER_S;
  if (s < S_PER_MIN) return `${trimmed(s, 1)} s`;
  const joined = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
    small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;
  const whole = Math.round(s);
  if (whole < S_PER_H) return joined(Math.floor(whole / S_PER_MIN), 'min', whole % S_PER_MIN, 's');
  const minutes = Math.round(s / S_PER_MIN);
  if (minutes < 48 * 60) return joined(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(s / S_PER_H);
  return joined(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

export type ZoneOption = { readonly zone: string; readonly label: string };

/** What browsers return for an unknown zone, and another name of UTC. */
const NO_PLACE = ['', 'Etc/Unknown', 'Etc/UTC'];

/** Where tick files come from: the exchanges, and the zones that exporters write. */
const USUAL: readonly ZoneOption[] = [
  { zone: 'UTC', label: 'UTC' },
  { zone: 'EST', label: 'EST all year (HistData)' },
  { zone: 'America/New_York', label: 'New York' },
  { zone: 'America/Chicago', label: 'Chicago' },
  { zone: 'Europe/London', label: 'London' },
  { zone: 'Europe/Berlin', label: 'Frankfurt' },
  { zone: 'Europe/Athens', label: 'Athens (most MetaTrader servers)' },
  { zone: 'Asia/Hong_Kong', label: 'Hong Kong' },
  { zone: 'Asia/Tokyo', label: 'Tokyo' },
  { zone: 'Australia/Sydney', label: 'Sydney' },
];

/**
 * The zones that stamps may be in: the usual ones, and the browser's own.
 *
 * @param own as the browser names it
 */
export function zoneChoices(own: string | undefined): readonly ZoneOption[] {
  if (own === undefined || NO_PLACE.includes(own)) return USUAL;
  const here = USUAL.find(({ zone }) => zone === own);
  if (here === undefined) return [...USUAL, { zone: own, label: `${own} (this computer)` }];
  return USUAL.map((each) => (each === here ? { ...each, label: `${each.label}, this computer` } : each));
}
