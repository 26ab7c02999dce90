export { formatSpan } from '../../ticks/formatSpan.ts';
import { parseTimestampUs, writeTimestamp } from '../../ticks/timestamps.ts';

/** `HH:MM:SS.fff`, the part of the day. */
export function formatClock(us: number): string {
  return writeTimestamp(us).slice(11);
}

/** `2026-11-24 09:30 UTC` for a time of an answer about the account. */
export const minuteText = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`;

/** A time in the form of the wire; null where the text is none. */
export function parseTimestamp(text: string): number | null {
  const us = parseTimestampUs(text.trim());
  return us < 0 ? null : us;
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
