import type { BarTime } from '../../../core/barTime.ts';
import { FORMAT_TITLES, type FormatId } from '../ImportReport.ts';
import { barTimeByName } from './names.ts';

/** In words, by what the stamps of bars are. */
export const STAMPED = {
  open: 'the beginning of each bar',
  close: 'the end of each bar',
  unknown: 'taken to be the beginning of each bar',
} as const;
/** Sources whose bars are stamped at their beginning, as they document. */
const STAMPED_AT_OPEN: readonly FormatId[] = ['binance-klines', 'dukascopy', 'histdata', 'metatrader'];

/** What the stamps of bars are: as the user says, by the name of their column, or by their source. */
export function barTimeOf(
  name: string | undefined,
  format: FormatId,
  named: BarTime | undefined,
): { readonly barTime: BarTime | null; readonly evidence: string } {
  if (named !== undefined) return { barTime: named, evidence: 'named by you' };
  const byName = barTimeByName(name ?? '');
  if (byName !== undefined) return { barTime: byName, evidence: 'by the name of the column' };
  if (STAMPED_AT_OPEN.includes(format)) return { barTime: 'open', evidence: `as in every ${FORMAT_TITLES[format]}` };
  return { barTime: null, evidence: 'the file does not say' };
}
