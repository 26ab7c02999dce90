import { US_PER_MS } from './TickSeries.ts';

/** `YYYY-MM-DD HH:MM:SS.fff` in UTC, as the wire has it; six digits where the microseconds need them. */
export function formatTimestamp(us: number): string {
  const ms = Math.floor(us / US_PER_MS);
  const rest = Math.round(us - ms * US_PER_MS);
  const text = new Date(ms).toISOString().replace('T', ' ').slice(0, -1);
  return rest === 0 ? text : text + String(rest).padStart(3, '0');
}

/** `HH:MM:SS.fff`, the part of the day. */
export function formatClock(us: number): string {
  return formatTimestamp(us).slice(11);
}

/** Reads what `formatTimestamp` writes, with 0 to 6 digits of fraction and `T` for the blank; null where it is no time. */
export function parseTimestamp(text: string): number | null {
  const parts = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z?$/.exec(text.trim());
  if (parts === null) return null;
  const ms = Date.parse(`${parts[1]}T${parts[2]}Z`);
  // A 31 April reads as 1 May in some browsers.
  if (!Number.isFinite(ms) || new Date(ms).toISOString().slice(0, 10) !== parts[1]) return null;
  return ms * US_PER_MS + Number((parts[3] ?? '').padEnd(6, '0'));
}
