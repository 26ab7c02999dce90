import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { type ForecastPlan, LiveSeries, OutcomeBudget } from '../../../../src/engine/live/LiveSeries.ts';
import { seriesBytes } from '../../../../src/engine/live/seriesBytes.ts';
import { SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';

const SERIES = 60;
const SINK = { due: () => {}, outcome: () => {}, tally: () => {} };
const RANGE = { open: 100, high: 101, low: 99 };

/** Bytes of the process after collections; the memory of arrays is swept in the next iterations. */
async function used(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let i = 0; i < 4; i++) {
    collect();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('seriesBytes', () => {
  for (const [ofBars, plans] of [
    [false, 1],
    [false, 8],
    [true, 1],
    [true, 8],
  ] as const)
    it(`is what a full series of ${ofBars ? 'bars' : 'quotes'} with ${plans} forecasts needs`, async () => {
      const all: ForecastPlan[] = Array.from({ length: plans }, (_, i) => ({
        ...{ id: `${i}`, horizonMs: 3_600_000, everyMs: 86_400_000, minMoveBps: null, resumeAfterUs: 1e17 },
      }));
      const parts = ofBars ? { periodMs: 60_000 } : undefined;
      const before = await used();
      const series = Array.from({ length: SERIES }, () => {
        const memory = new SeriesMemory(ofBars ? 60_000 : 0);
        const one = new LiveSeries(all, SINK, new OutcomeBudget(1), { memory, ...(parts === undefined ? {} : { bars: parts }) });
        for (let i = 0; i < 6000; i++) one.push(1.6e15 + i * 6e7, 100 + (i % 7), ofBars ? undefined : 1, ofBars ? RANGE : undefined);
        return one;
      });
      const measured = ((await used()) - before) / series.length;
      expect(seriesBytes(all, ofBars)).to.be.within(measured, 1.25 * measured);
    });
});
