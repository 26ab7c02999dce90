/** Prints how many blocks of `src` run while a series learns, by the times of its ticks: V8 counts them, so they do not depend on the machine. */
import { Session } from 'node:inspector/promises';

const session = new Session();
session.connect();
await session.post('Profiler.enable');
// Only what is compiled after this is counted.
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
const { LiveSeries, OutcomeBudget } = await import('../../src/engine/live/LiveSeries.ts');
const { OutcomeTracker } = await import('../../src/engine/live/OutcomeTracker.ts');
const { SeriesMemory } = await import('../../src/engine/memory/SeriesMemory.ts');

const COUNT = 3000;
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
/** At noon, so that the slots around a daily bar are of one day. */
const START_MS = 10.5 * DAY;
const times = (gapMs: number): Float64Array => Float64Array.from({ length: COUNT }, (_, i) => (START_MS + i * gapMs) * 1000);
const at = (timesUs: Float64Array) => ({ timesUs, prices: timesUs.map((_, i) => 100 + (i % 7) / 100) });

async function count(run: () => void): Promise<number> {
  await session.post('Profiler.takePreciseCoverage');
  run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ranges = result.filter(({ url }) => url.includes('/src/')).flatMap(({ functions }) => functions.flatMap((one) => one.ranges));
  return ranges.reduce((sum, range) => sum + range.count, 0);
}

function learned(periodMs: number, gapMs: number) {
  const memory = new SeriesMemory(periodMs);
  if (periodMs > 0) memory.readAs('close');
  memory.join(at(times(gapMs)));
  return memory;
}

const steps: Record<string, number> = {};
for (const gapMs of [300, 4 * SECOND, MINUTE + SECOND, 10 * MINUTE, 30 * MINUTE - SECOND, 30 * MINUTE + SECOND, DAY, 36_500 * DAY])
  steps[`ticks ${gapMs / 1000} s apart`] = await count(() => void learned(0, gapMs));
for (const periodMs of [SECOND, MINUTE, 5 * MINUTE, HOUR, 6 * HOUR, DAY - SECOND, DAY])
  for (const gapMs of new Set([periodMs, Math.ceil((29 * MINUTE) / periodMs) * periodMs, 36_500 * DAY - ((36_500 * DAY) % periodMs)]))
    steps[`bars of ${periodMs / 1000} s, ${gapMs / 1000} s apart`] = await count(() => void learned(periodMs, gapMs));
for (const gapMs of [MINUTE, DAY, 36_500 * DAY])
  steps[`a live series of daily bars, ${gapMs / 1000} s apart`] = await count(() => {
    const plan = { id: 'a', horizonMs: DAY, everyMs: DAY, options: {}, resumeAfterUs: Infinity };
    const sink = { due: () => {}, outcome: () => {}, tally: () => {} };
    const memory = new SeriesMemory(DAY);
    const live = new LiveSeries([plan], sink, new OutcomeBudget(1), { memory, bars: { periodMs: DAY, barTime: 'close' } });
    const { timesUs, prices } = at(times(gapMs));
    timesUs.forEach((timeUs, i) => live.push(timeUs, prices[i]));
  });
for (const gapMs of [0, 1])
  steps[`3000 open forecasts and ticks ${gapMs} ms apart`] = await count(() => {
    const tracker = new OutcomeTracker<number>(DAY);
    for (let i = 0; i < COUNT; i++) {
      tracker.push(i / COUNT, 100, () => {});
      tracker.add(i);
    }
    for (let i = 0; i < COUNT; i++) tracker.push(2000 + i * gapMs, 100, () => {});
  });
const memory = learned(5 * MINUTE, 5 * MINUTE);
for (const horizonMs of [MINUTE, HOUR, DAY, 36_500 * DAY])
  steps[`what it says of ${horizonMs / 1000} s`] = await count(() => void memory.view(horizonMs));
process.stdout.write(JSON.stringify(steps));
