import { option, timeOption } from './columnOptions.ts';
import { planFault } from './PlanFault.ts';
import type { PricePlan } from './PricePlan.ts';
import type { StampPlan } from './StampPlan.ts';

/** Bars lie apart by whole numbers of their length, within this fraction of it. */
const MAX_UNEVEN = 0.05;
const DAY_US = 86_400_000_000;

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
  if (commonest! >= DAY_US)
    throw planFault(
      name,
      '',
      `these are bars of ${commonest! / DAY_US === 1 ? 'a day' : `${Math.round(commonest! / DAY_US)} days`}: what moves within a day is not in the file, and forecasts look seconds to hours ahead`,
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
  return Array.from(stampsUs).every((us) => us % Math.min(shortest, DAY_US) === 0);
}
