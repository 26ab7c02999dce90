import { type ForecastPlan, LiveSeries, OutcomeBudget } from '../../src/engine/live/LiveSeries.ts';
import { SeriesMemory } from '../../src/engine/memory/SeriesMemory.ts';

/** So many that what the compiler allocates and frees meanwhile is lost among them. */
const SERIES = 240;
const TICKS = 6000;
const SINK = { due: () => {}, outcome: () => {}, tally: () => {} };
const RANGE = { open: 100, high: 101, low: 99 };

/** Bytes of the process after collections; the memory of arrays is swept in the next iterations. */
async function used(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    globalThis.gc!();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** `ticks` or `bars`, and the number of forecasts; prints the bytes of a full series. Needs --expose-gc, and a process of its own. */
const [, , kind, count] = process.argv;
const ofBars = kind === 'bars';
const plans: ForecastPlan[] = Array.from({ length: Number(count) }, (_, i) => ({
  ...{ id: `${i}`, horizonMs: 3_600_000, everyMs: 86_400_000, options: {}, resumeAfterUs: 1e17 },
}));
const fill = (): LiveSeries => {
  const parts = { memory: new SeriesMemory(ofBars ? 60_000 : 0), ...(ofBars ? { bars: { periodMs: 60_000 } } : {}) };
  const one = new LiveSeries(plans, SINK, new OutcomeBudget(1), parts);
  for (let i = 0; i < TICKS; i++) one.push(1.6e15 + i * 6e7, 100 + (i % 7) / 1000, ofBars ? undefined : 1, ofBars ? RANGE : undefined);
  return one;
};
fill();
const before = await used();
const series = Array.from({ length: SERIES }, fill);
process.stdout.write(`${Math.round(((await used()) - before) / series.length)}\n`);
