import { US_PER_MS } from '../../core/units.ts';
import { LiveDesk } from '../../engine/live/LiveDesk.ts';
import type { ForecastPlan } from '../../engine/live/LiveSeries.ts';
import { localOwner, type LocalParts } from '../../engine/live/localOwner.ts';
import type { SeriesMemory } from '../../engine/memory/SeriesMemory.ts';
import type { BarWindow } from '../../ticks/BarWindow.ts';
import type { TickSeries } from '../../ticks/TickSeries.ts';
import { rangeAt } from '../../ticks/TickWindow.ts';

/** Ticks between two calls of `onProgress`. */
const PROGRESS_TICKS = 50_000;

export type Lesson = {
  readonly series: TickSeries;
  readonly bars: BarWindow | undefined;
  readonly plans: readonly ForecastPlan[];
  readonly compute: LocalParts['compute'];
  readonly onProgress?: (done: number, total: number) => void;
};

/**
 * Plays ticks as a live series, as fast as its forecasts are computed, so that the memory afterwards is the one that a service has of the same
 * ticks and plans. It learns those after its last tick; resolves to their number. Throws the errors of a forecast.
 */
export async function teachSeries(memory: SeriesMemory, { series, bars, plans, compute, onProgress }: Lesson): Promise<number> {
  const { timesUs, prices } = series;
  const from = firstAfter(timesUs, memory.lastMs);
  const desk = new LiveDesk(localOwner({ usesMemory: true, compute, send: () => {} }));
  const ofBars = bars && { periodMs: bars.periodMs, barTime: bars.barTime };
  const open = (await desk.begin({ name: 'taught', plans, bars: ofBars, readMemory: () => ({ memory }) }))!;
  for (let i = from; i < timesUs.length; i++) {
    for (let wait; (wait = desk.waitFor(open, timesUs[i])) !== undefined;) await wait;
    desk.push(open, timesUs[i], prices[i], undefined, rangeAt(bars?.ranges, i));
    if ((i - from) % PROGRESS_TICKS === 0) onProgress?.(i - from, timesUs.length - from);
  }
  await desk.closeSeries('taught');
  await desk.untilFree();
  return timesUs.length - from;
}

/** Index of the first tick in a later millisecond; 0 for NaN. */
function firstAfter(timesUs: Float64Array, lastMs: number): number {
  const at = Number.isNaN(lastMs) ? 0 : timesUs.findIndex((timeUs) => Math.floor(timeUs / US_PER_MS) > lastMs);
  return at < 0 ? timesUs.length : at;
}
