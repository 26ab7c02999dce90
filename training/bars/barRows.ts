import { labelOrigin } from '../../src/engine/features/labelOrigin.ts';
import { type BarMeasures, FLAT_CLOCK, measureBars } from '../../src/engine/features/measureBars.ts';
import { sessionGapS } from '../../src/engine/features/sessionGap.ts';
import type { BarInputs } from '../../src/engine/model/BarModel.ts';
import { meanOfClock } from '../../src/engine/memory/ClockProfile.ts';
import { SeriesMemory } from '../../src/engine/memory/SeriesMemory.ts';
import type { MadeBars } from './makeBars.ts';

/** One origin and horizon: what a request knows, and the outcome. */
export type BarRow = {
  /** Number of its series. */
  readonly of: number;
  readonly periodMs: number;
  readonly horizonMs: number;
  /** Earlier days in the profile of the clock, at most 20. */
  readonly days: number;
  /** theta*, log price. */
  readonly theta: number;
  /** From close to close, log price. */
  readonly move: number;
  /** By the window alone, and with the profile of the series. */
  readonly window: BarInputs;
  readonly history: BarInputs;
};

/** Bars of a window: as many as are there, up to this. */
const MOST_BARS = 500;
const LEAST_BARS = 200;

/**
 * Origins of a series in time order, those of a horizon at least `spacingMs` of it apart: what a request knows there, with a memory that has
 * seen the bars before, and the outcome.
 */
export function* barOrigins(
  { periodMs, series, ranges }: MadeBars,
  horizonsMs: readonly number[],
  spacingMs: (horizonMs: number) => number,
) {
  const { timesUs, prices } = series;
  const memory = new SeriesMemory(periodMs);
  const next = horizonsMs.map(() => -Infinity);
  let known = 0;
  for (let i = LEAST_BARS - 1; i < timesUs.length; i++) {
    const endMs = timesUs[i] / 1000;
    for (const [h, horizonMs] of horizonsMs.entries()) {
      if (endMs < next[h]) continue;
      const label = labelOrigin(series, i, horizonMs / 1000, sessionGapS(0, periodMs), periodMs);
      if (label.status === 'dropped') continue;
      next[h] = endMs + spacingMs(horizonMs);
      memory.add(series, known, i + 1);
      known = i + 1;
      const from = Math.max(0, known - MOST_BARS);
      const cut = (values: Float64Array): Float64Array => values.subarray(from, known);
      const window = { timesUs: cut(timesUs), prices: cut(prices) };
      const bars = { periodMs, ranges: { open: cut(ranges.open), high: cut(ranges.high), low: cut(ranges.low) } };
      yield { endMs, horizonMs, move: label.move, memory, view: memory.view(horizonMs), window, bars };
    }
  }
}

/** Origins of a series and horizon. */
const MOST_ROWS = 1500;

/** Rows of a series in time order, at least half a horizon apart. */
export function barRows(of: number, made: MadeBars, horizonsMs: readonly number[]): BarRow[] {
  const { periodMs } = made;
  const leastMs = (made.series.timesUs.length * periodMs) / MOST_ROWS;
  const rows: BarRow[] = [];
  for (const { horizonMs, move, view, window, bars } of barOrigins(made, horizonsMs, (ms) => Math.max(leastMs, ms / 2))) {
    const flat = measureBars(window, bars, horizonMs, FLAT_CLOCK);
    if (typeof flat === 'string') continue;
    const { clock, profile } = view;
    const scaled = clock === undefined ? flat : (measureBars(window, bars, horizonMs, (a, b) => meanOfClock(clock, a, b)) as BarMeasures);
    const read = ({ logMoves, ranges, level }: BarMeasures): BarInputs => ({ logMoves, ranges, level });
    const days = profile?.days ?? 0;
    rows.push({ of, periodMs, horizonMs, days, theta: flat.thetaDefault, move, window: read(flat), history: read(scaled) });
  }
  return rows;
}
