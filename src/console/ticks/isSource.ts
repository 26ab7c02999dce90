import { isPrice } from '../../ticks/tickColumns.ts';
import { END_US } from '../../ticks/timestamps.ts';
import type { Source } from '../Ask.ts';

/** Whether what a browser kept is the ticks of a source: prices in the order of their times. */
export function isSource(kept: unknown): kept is Source {
  const { kind, name, text, notes, series } = (kept ?? {}) as Partial<Source>;
  const areTexts = ['sample', 'file', 'pasted'].includes(kind!) && typeof name === 'string' && typeof text === 'string';
  const { timesUs, prices } = (series ?? {}) as Partial<Source['series']>;
  if (!areTexts || !Array.isArray(notes) || !(timesUs instanceof Float64Array && prices instanceof Float64Array)) return false;
  const isTime = (us: number, at: number): boolean => us >= (at === 0 ? 0 : timesUs[at - 1]) && us < END_US;
  return timesUs.length > 0 && timesUs.length === prices.length && timesUs.every(isTime) && prices.every(isPrice);
}
