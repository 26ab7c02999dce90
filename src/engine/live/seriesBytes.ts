import { MAX_ENTRIES } from '../../core/units.ts';
import { USUAL_BARS } from '../model/suitableTicks.ts';
import type { ForecastPlan } from './PlanState.ts';

/** Most ticks that a series keeps. */
export const MOST_TICKS = MAX_ENTRIES - 1;

const BYTES_PER_NUMBER = 8;
/** Arrays grow to one and a half times what they keep; measured. */
const GROWTH = 1.6;
/** Columns that are kept of a tick (time, price, spread) and of a bar (time, close, open, high, low). */
const COLUMNS = { ticks: 3, bars: 5 };
/** Measured, with Node.js 20: a full memory, the objects of a series, and those of one plan. */
const MEMORY_BYTES = 20_000;
const SERIES_BYTES = 7000;
const PLAN_BYTES = 1000;

/** Ticks that a series keeps: of bars, no forecast uses more than the usual number or what its plan names. */
export const keptTicks = (plans: readonly Pick<ForecastPlan, 'ticks'>[], ofBars: boolean): number =>
  ofBars ? Math.max(USUAL_BARS, ...plans.map(({ ticks = 0 }) => ticks)) : MOST_TICKS;

/** What a series needs at most, without its forecasts that wait for an outcome. */
export function seriesBytes(plans: readonly Pick<ForecastPlan, 'ticks'>[], ofBars: boolean): number {
  const columns = ofBars ? COLUMNS.bars : COLUMNS.ticks;
  const numbers = GROWTH * columns * keptTicks(plans, ofBars);
  return BYTES_PER_NUMBER * numbers + MEMORY_BYTES + SERIES_BYTES + PLAN_BYTES * plans.length;
}
