import { US_PER_SECOND } from '../../core/units.ts';

/** Steps that differ by less count as equal: exporters stamp bars a little before or after their end. */
const TOLERANCE = 0.01;
/** Steps that are looked at, evenly spread over the series. */
const MOST_STEPS = 4000;

/** The period of a series of bars or snapshots, microseconds: the step of at least half of its distinct timestamps; null: it has none. */
export function barPeriodUs(timesUs: Float64Array): number | null {
  const stride = Math.max(1, Math.floor(timesUs.length / MOST_STEPS));
  const steps: number[] = [];
  for (let i = 1; i < timesUs.length; i += stride) {
    const step = timesUs[i] - timesUs[i - 1];
    if (step > 0) steps.push(step);
  }
  const median = steps.sort((a, b) => a - b)[steps.length >> 1];
  if (median === undefined || median < US_PER_SECOND) return null;
  const equal = steps.filter((step) => Math.abs(step - median) <= TOLERANCE * median).length;
  return 2 * equal >= steps.length ? median : null;
}

/**
 * Why no forecast of this horizon can be scored on these ticks; null: it can. The entry is the first price after the last tick, so below two
 * periods of a bar file entry and exit are the same price, and the outcome is always "no move".
 */
export function barHorizonFault(timesUs: Float64Array, horizonUs: number): string | null {
  const periodUs = barPeriodUs(timesUs);
  if (periodUs === null || horizonUs >= 2 * periodUs) return null;
  const seconds = (us: number): string => String(Number((us / US_PER_SECOND).toPrecision(6)));
  return `the prices are ${seconds(periodUs)} s apart: within ${seconds(horizonUs)} s entry and exit are the same price; the shortest horizon is ${seconds(2 * periodUs)} s`;
}
