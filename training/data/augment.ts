import { US_PER_SECOND } from '../../src/core/units.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';

/**
 * Changes of a series that make another kind of market of it, for training: prices on a grid as coarse as the usual move over 5 or 60 s,
 * whole-second timestamps, and one tick in four.
 */
export const AUGMENTATIONS = ['grid_5s', 'grid_60s', 'whole_seconds', 'every_fourth'] as const;
export type Augmentation = (typeof AUGMENTATIONS)[number];

const KEEP_EVERY = 4;

/** The changed series, in shared memory. Labels are computed from it, too. */
export function augment(series: TickSeries, augmentation: Augmentation): TickSeries {
  switch (augmentation) {
    case 'grid_5s':
      return roundPrices(series, usualMove(series, 5));
    case 'grid_60s':
      return roundPrices(series, usualMove(series, 60));
    case 'whole_seconds':
      return mapSeries(series, 1, (us) => us - (us % US_PER_SECOND));
    case 'every_fourth':
      return mapSeries(series, KEEP_EVERY);
  }
}

/** Root mean square of the log moves between the last prices of consecutive bars of `barS` seconds; 0 if there are fewer than two. */
function usualMove({ timesUs, prices }: TickSeries, barS: number): number {
  const barUs = barS * US_PER_SECOND;
  let [squares, moves, before] = [0, 0, NaN];
  for (let i = 0; i < timesUs.length; i++) {
    const bar = Math.floor(timesUs[i] / barUs);
    const next = i + 1 < timesUs.length ? Math.floor(timesUs[i + 1] / barUs) : -1;
    if (bar === next) continue;
    const move = Math.log(prices[i] / before);
    // After a gap, the move is that of more than one bar.
    if (next === bar + 1 && move === move) {
      squares += move * move;
      moves++;
    }
    before = prices[i];
  }
  return moves === 0 ? 0 : Math.sqrt(squares / moves);
}

/** Prices rounded to multiples of the first price times `step`. */
function roundPrices(series: TickSeries, step: number): TickSeries {
  const unit = series.prices[0] * step;
  return unit > 0 ? mapSeries(series, 1, undefined, (price) => Math.max(1, Math.round(price / unit)) * unit) : series;
}

function mapSeries(
  { timesUs, prices }: TickSeries,
  every: number,
  time: (us: number) => number = (us) => us,
  price: (value: number) => number = (value) => value,
): TickSeries {
  const count = Math.ceil(timesUs.length / every);
  const times = new Float64Array(new SharedArrayBuffer(8 * count));
  const mapped = new Float64Array(new SharedArrayBuffer(8 * count));
  for (let i = 0; i < count; i++) {
    times[i] = time(timesUs[i * every]);
    mapped[i] = price(prices[i * every]);
  }
  return { timesUs: times, prices: mapped };
}
