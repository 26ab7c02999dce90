import { expect } from 'chai';
import { teachSeries } from '../../src/cli/forecast/teachSeries.ts';
import { silentLogger } from '../../src/core/Logger.ts';
import { plansOf } from '../../src/engine/live/liveMessages.ts';
import { SeriesMemory } from '../../src/engine/memory/SeriesMemory.ts';
import { SeriesMemories } from '../../src/service/live/SeriesMemories.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { fakeForecaster, MEMORY_LINE } from '../support/fakeForecaster.ts';
import { realParts, STAMPS, TICKS, withServer } from '../support/liveSocket.ts';
import { MemoryStore } from '../support/MemoryStore.ts';

const FORECASTS = [
  { horizon: '10s', every: '5s' },
  { horizon: '60s', every: '15s' },
];

describe('a series that was taught its past', () => {
  const { forecaster } = fakeForecaster({ memory: MEMORY_LINE });
  const lesson = {
    ...{ series: TICKS, bars: undefined, plans: plansOf(FORECASTS) },
    compute: (...asked: Parameters<typeof forecaster.forecast>) => forecaster.forecast(...asked),
  };

  it('knows what a live series of the service knows of the same ticks, bit for bit', async () => {
    const store = new MemoryStore();
    const memories = new SeriesMemories({ store, clock: new FakeClock(), logger: silentLogger });
    const parts = realParts({ memories }, { memory: MEMORY_LINE });
    await withServer({ ...parts, models: { ...parts.models, usesMemory: () => true } }, {}, async (_server, connect) => {
      const client = await connect();
      client.send({ type: 'open', series: 'a', forecasts: FORECASTS });
      for (let at = 0; at < STAMPS.length; at += 250)
        client.send({ type: 'ticks', series: 'a', Timestamp: STAMPS.slice(at, at + 250), Price: [...TICKS.prices.slice(at, at + 250)] });
      client.send({ type: 'close', series: 'a' });
      await client.next('score');
    });
    const [live] = [...store.memories.values()];
    const taught = new SeriesMemory();
    expect(await teachSeries(taught, lesson)).to.equal(TICKS.timesUs.length);
    expect(taught.view(10_000).outcomes.compared).to.be.above(10);
    expect(Buffer.from(taught.save()).equals(Buffer.from(live!.bytes))).to.equal(true);
  });

  it('learns nothing from ticks that it knows, and the rest of a file that goes on', async () => {
    const part = { timesUs: TICKS.timesUs.slice(0, 500), prices: TICKS.prices.slice(0, 500) };
    const memory = new SeriesMemory();
    await teachSeries(memory, { ...lesson, series: part });
    const known = memory.save();
    expect(await teachSeries(memory, { ...lesson, series: part })).to.equal(0);
    expect(memory.save()).to.deep.equal(known);
    expect(await teachSeries(memory, lesson)).to.equal(TICKS.timesUs.length - 500);
    expect(memory.lastMs).to.equal(Math.floor(TICKS.timesUs.at(-1)! / 1000));
  });
});
