import type { BarTime } from '../../../core/barTime.ts';
import { US_PER_DAY } from '../../timestamps.ts';
import { FORMAT_TITLES, type FormatId } from '../ImportReport.ts';
import type { PricePlan } from './PricePlan.ts';
import type { StampPlan } from './StampPlan.ts';
import type { Table } from './Table.ts';
import { option, timeOption } from './columnOptions.ts';
import type { Column } from './columns.ts';
import { barTimeByName } from './names.ts';
import { planFault } from './refusals.ts';

/** Bars lie apart by whole numbers of their length, within this fraction of it. */
const MAX_UNEVEN = 0.05;

/** Most steps between bars are one length of time; pauses of the market are rarer than bars. */
export function barLength(stamp: StampPlan, price: PricePlan, ref: (at: number) => string, name: string): number {
  const stampsUs = stamp.us;
  const counts = new Map<number, number>();
  let equal = 0;
  let steps = 0;
  for (let i = 1; i < stampsUs.length; i++) {
    const step = Math.abs(stampsUs[i] - stampsUs[i - 1]);
    steps++;
    if (step > 0) counts.set(step, (counts.get(step) ?? 0) + 1);
    else equal++;
  }
  const commonest = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0];
  if (commonest === undefined && equal === 0)
    throw planFault(name, '', 'these are price bars, and one bar is not enough to detect their length', 'Give more rows, or ticks.');
  if (equal > 0.5 * steps)
    throw planFault(
      name,
      '',
      `its columns are those of price bars, and ${equal} of ${steps} rows have the stamp of the row before, as no bars do`,
      `If its rows are trades, name their price: ${option(`${timeOption(stamp, ref)},price=${ref(price.firstColumn)}`)}; if another column holds their time, name that.`,
    );
  const isWhole = (length: number): boolean => Math.abs(length / commonest! - Math.round(length / commonest!)) <= MAX_UNEVEN;
  const uneven = [...counts].reduce((sum, [length, count]) => sum + (isWhole(length) ? 0 : count), 0);
  if (uneven > 0.5 * (steps - equal))
    throw planFault(
      name,
      '',
      `its columns are those of price bars, and its stamps are apart by times of any length, as those of trades or of bars of some volume are`,
      `If each row is one trade, or its stamp is the end of the bar: ${option(`${timeOption(stamp, ref)},price=${ref(price.firstColumn)}`)}.`,
    );
  if (commonest! >= US_PER_DAY)
    throw planFault(
      name,
      '',
      `these are bars of ${commonest! / US_PER_DAY === 1 ? 'a day' : `${Math.round(commonest! / US_PER_DAY)} days`}: what moves within a day is not in the file, and forecasts look seconds to hours ahead`,
      'Export ticks, or bars of 10 s to 5 min.',
    );
  return commonest!;
}

/** So many trades do not come at whole minutes by chance. */
const MIN_CLOSES = 20;
const SHORTEST_US = 10_000_000;

/** Whether prices that are called closes stand at the edges of bars: all stamps are multiples of one length, at least 10 s, which most lie apart. */
export function areClosesOfBars(stampsUs: ArrayLike<number>): boolean {
  if (stampsUs.length < MIN_CLOSES) return false;
  const steps = Array.from({ length: stampsUs.length - 1 }, (_, i) => Math.abs(stampsUs[i + 1] - stampsUs[i]));
  const shortest = steps.reduce((least, step) => Math.min(least, step), Infinity);
  if (!(shortest >= SHORTEST_US) || steps.filter((step) => step === shortest).length < steps.length / 2) return false;
  return Array.from(stampsUs).every((us) => us % Math.min(shortest, US_PER_DAY) === 0);
}

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

/** What was traded within a bar, by its name. */
const VOLUME =
  /^(?:tick|real|base|quote|trade|total|contract|share)?(?:asset)?vol(?:ume)?(?:base|quote|usdt?)?$|^(?:v|tickvol|volumen|qty|quantity)$/;
/** Of klines of Binance without a header. */
const BINANCE_VOLUME = 5;

/** The columns of bars that are volumes by their names or by the format; none if all are 0, as where the source knows no volume. */
export function volumeColumns({ names }: Table, columns: readonly Column[], format: string): readonly number[] {
  const found = columns.filter(({ at, name }) =>
    names === undefined ? format === 'binance-klines' && at === BINANCE_VOLUME : VOLUME.test(name),
  );
  return found.some(({ numbers }) => numbers[0]?.values.some((volume) => volume > 0) === true) ? found.map(({ at }) => at) : [];
}
