import { expect } from 'chai';
import { silentLogger } from '../../src/core/Logger.ts';
import { SeriesMemory } from '../../src/engine/memory/SeriesMemory.ts';
import type { HttpParts } from '../../src/service/http/HttpParts.ts';
import { SeriesMemories } from '../../src/service/live/SeriesMemories.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { MEMORY_LINE } from '../support/fakeForecaster.ts';
import { type LiveSocket, realParts, STAMPS, ticksMessage, withServer } from '../support/liveSocket.ts';
import { MemoryStore } from '../support/MemoryStore.ts';
import { until } from '../support/until.ts';

const OPEN = { type: 'open', series: 'a', forecasts: [{ horizon: '10s', every: '5s' }] };

/** Parts of a service with a memory in `store`. */
function partsOf(store: MemoryStore, clock = new FakeClock()): HttpParts {
  const parts = realParts({ memories: new SeriesMemories({ store, clock, logger: silentLogger }) }, { memory: MEMORY_LINE });
  return { ...parts, models: { ...parts.models, usesMemory: () => true } };
}

async function send(client: LiveSocket, from: number, to: number, size: number): Promise<void> {
  client.send(OPEN);
  for (let at = from; at < to; at += size) client.send(ticksMessage(at, Math.min(at + size, to)));
  client.send({ type: 'close', series: 'a' });
  await client.next('score');
}

const forecastsOf = (client: LiveSocket): object[] =>
  client
    .of('forecast')
    .toSorted((a, b) => a.n - b.n)
    .map(({ probability, last_tick }) => ({ probability, last_tick }));

describe('the memory of live series', () => {
  it('gives the same forecasts and the same memory in messages of any size, and others than without', async () => {
    const runs: { forecasts: object[]; bytes: Uint8Array }[] = [];
    for (const size of [900, 37, 1]) {
      const store = new MemoryStore();
      await withServer(partsOf(store), {}, async (_server, connect) => {
        const client = await connect();
        await send(client, 0, STAMPS.length, size);
        runs.push({ forecasts: forecastsOf(client), bytes: [...store.memories.values()][0].bytes });
      });
    }
    expect(runs[1]).to.deep.equal(runs[0]);
    expect(runs[2]).to.deep.equal(runs[0]);
    expect(SeriesMemory.load(runs[0].bytes).view(10_000).outcomes.compared).to.be.above(10);
    await withServer(partsOf(new MemoryStore()), {}, async (_server, connect) => {
      const client = await connect();
      client.send({ ...OPEN, memory: 'off' });
      client.send(ticksMessage(0, STAMPS.length));
      client.send({ type: 'close', series: 'a' });
      await client.next('score');
      const off = forecastsOf(client);
      expect(off).to.have.length(runs[0].forecasts.length);
      expect(off[0]).to.deep.equal(runs[0].forecasts[0]);
      expect(off.at(-1)).to.not.deep.equal(runs[0].forecasts.at(-1));
    });
  });

  it('goes on after the end of a connection, by another process, and stores nothing with memory: off', async () => {
    const [whole, parted] = [new MemoryStore(), new MemoryStore()];
    await withServer(partsOf(whole), {}, async (_server, connect) => send(await connect(), 0, 900, 100));
    await withServer(partsOf(parted), {}, async (_server, connect) => {
      const client = await connect();
      client.send(OPEN);
      client.send(ticksMessage(0, 600));
      await until(() => client.of('forecast').some(({ last_tick: last }) => last > STAMPS[580]));
      client.socket.terminate();
      await until(() => parted.memories.size === 1);
    });
    await withServer(partsOf(parted), {}, async (_server, connect) => {
      const client = await connect();
      // As after each reconnection, the last ticks come again.
      client.send(OPEN);
      client.send(ticksMessage(400, 600));
      client.send({ type: 'ask', series: 'a', horizon: '10s', detail: true });
      const { detail } = (await client.next('forecast')) as { detail?: { memory?: { outcomes: number; since: string } } };
      expect(detail!.memory!.since).to.equal(STAMPS[0]);
      expect(detail!.memory!.outcomes).to.be.above(5);
      client.send(ticksMessage(600, 900));
      client.send({ type: 'close', series: 'a' });
      await client.next('score');
    });
    const outcomesOf = ({ memories }: MemoryStore): number =>
      SeriesMemory.load([...memories.values()][0].bytes).view(10_000).outcomes.compared;
    expect(outcomesOf(parted)).to.be.within(outcomesOf(whole) - 3, outcomesOf(whole) + 1);
    const off = new MemoryStore();
    await withServer(partsOf(off), {}, async (_server, connect) => {
      const client = await connect();
      client.send({ ...OPEN, memory: 'off' });
      client.send(ticksMessage(0, 400));
      client.send({ type: 'close', series: 'a' });
      await client.next('score');
    });
    expect(off.memories.size).to.equal(0);
  });

  it('goes on with the memory that another process wrote meanwhile', async () => {
    const store = new MemoryStore();
    await withServer(partsOf(store), {}, async (_server, connect) => {
      const [first, second] = [await connect(), await connect()];
      for (const client of [first, second]) {
        client.send(OPEN);
        await client.next('opened');
      }
      for (const client of [first, second]) client.send(ticksMessage(0, 900));
      for (const client of [first, second]) {
        client.send({ type: 'close', series: 'a' });
        await client.next('score');
      }
    });
    const [{ revision, bytes }] = [...store.memories.values()] as [{ revision: number; bytes: Uint8Array }];
    expect(revision).to.equal(2);
    expect(SeriesMemory.load(bytes).view(10_000).outcomes.compared).to.be.above(10);
  });
});
