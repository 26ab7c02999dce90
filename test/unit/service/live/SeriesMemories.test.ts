import { expect } from 'chai';
import type { LogFields } from '../../../../src/core/Logger.ts';
import { silentLogger } from '../../../../src/core/Logger.ts';
import type { TickForecast } from '../../../../src/engine/forecast/Forecaster.ts';
import { originOf } from '../../../../src/engine/forecast/memoryAt.ts';
import { SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';
import { newTicks } from '../../../../src/service/live/learnRequest.ts';
import { SeriesMemories } from '../../../../src/service/live/SeriesMemories.ts';
import { SeriesHolders } from '../../../../src/service/app/cluster/SeriesHolders.ts';
import type { SeriesClaims } from '../../../../src/service/live/SeriesClaims.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { linkedClaims } from '../../../support/linkedClaims.ts';
import { MemoryStore } from '../../../support/MemoryStore.ts';
import { walkTicks } from '../../../support/walkTicks.ts';

const KEY = { accountId: 'a', series: 'eurusd' };
const TICKS = walkTicks({ seed: 4, count: 1200 });
const HORIZON_US = 10_000_000;

/** The window of 200 ticks that ends before tick `to`. */
function windowOf(to: number) {
  const series = { timesUs: TICKS.timesUs.slice(to - 200, to), prices: TICKS.prices.slice(to - 200, to) };
  return { series, futureUs: series.timesUs.at(-1)! + HORIZON_US };
}

const remembered: NonNullable<TickForecast['remembered']> = {
  theta: 1e-5,
  probability: 0.4,
  version: 5,
  hour: NaN,
  day: NaN,
  hours: NaN,
  week: NaN,
};

/** Asks for a forecast whose window ends before tick `to`; resolves to the number of outcomes that it knew. */
async function ask(memories: SeriesMemories, to: number, wait: Promise<void> = Promise.resolve()): Promise<number | string> {
  const request = windowOf(to);
  const [forecast] = await memories.use(KEY, request, [originOf(request)], async ([view]) => {
    await wait;
    return [{ remembered, known: typeof view === 'string' ? view : view!.outcomes.count }];
  });
  return forecast!.known;
}

function open(store = new MemoryStore(), isAlone = false, claims?: SeriesClaims) {
  const clock = new FakeClock();
  const warned: [string, LogFields | undefined][] = [];
  const logger = { ...silentLogger, warn: (message: string, fields?: LogFields) => void warned.push([message, fields]) };
  return { store, clock, warned, memories: new SeriesMemories({ store, clock, logger, isAlone, claims }) };
}

describe('SeriesMemories', () => {
  it('gives the same answers and bytes whichever process serves a request', async () => {
    const alone = open();
    const store = new MemoryStore();
    const two = [open(store), open(store)] as const;
    const ends = Array.from({ length: 40 }, (_, i) => 200 + 25 * i);
    const expected = [];
    for (const to of ends) expected.push(await ask(alone.memories, to));
    const got = [];
    for (const [i, to] of ends.entries()) got.push(await ask(two[i % 3 === 0 ? 1 : 0].memories, to));
    expect(got).to.deep.equal(expected);
    expect(expected.at(-1)).to.be.above(15);
    expect(store.memories.get('a eurusd')).to.deep.equal(alone.store.memories.get('a eurusd'));
  });

  it('is handed from worker to worker, and written once a second', async () => {
    const alone = open();
    const [holders, store] = [new SeriesHolders(), new MemoryStore()];
    const links = [linkedClaims(holders), linkedClaims(holders)] as const;
    const workers = links.map(({ claims }) => open(store, false, claims));
    let writes = 0;
    const write = store.writeMemory.bind(store);
    store.writeMemory = (...args) => {
      writes++;
      return write(...args);
    };
    for (const [i, to] of Array.from({ length: 41 }, (_, at) => 200 + 25 * at).entries()) {
      const expected = await ask(alone.memories, to);
      expect(await ask(workers[i % 3 === 0 ? 1 : 0].memories, to)).to.equal(expected);
      if (i % 10 !== 5) continue;
      for (const { clock } of workers) clock.advance(1000);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    expect(writes).to.equal(4);
    await Promise.all(workers.map(({ memories }) => memories.close()));
    expect(store.memories.get('a eurusd')!.bytes).to.deep.equal(alone.store.memories.get('a eurusd')!.bytes);
    // What a killed worker has learned since its last write is lost; the other goes on with what is stored.
    await ask(workers[0].memories, 1100);
    links[0].die();
    expect(await ask(workers[1].memories, 1200)).to.be.a('number');
    workers[1].memories.forget('a');
    expect(await ask(workers[1].memories, 1200), 'after the account was forgotten').to.be.a('number');
    const read = await workers[1].memories.read(KEY);
    expect(read).to.not.equal('store_unavailable');
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(holders.size).to.equal(0);
  });

  it('lets a request that brings the outcome of a forecast wait for it, and not those of other series', async () => {
    const { memories } = open();
    let release = (): void => {};
    const held = ask(memories, 300, new Promise((resolve) => (release = resolve)));
    const done: string[] = [];
    const next = ask(memories, 400).then(() => done.push('same series'));
    await memories.use({ ...KEY, series: 'other' }, windowOf(400), [], async () => []);
    done.push('other series');
    release();
    await Promise.all([held, next]);
    expect(done).to.deep.equal(['other series', 'same series']);
  });

  it('computes those of a series side by side in a process that serves alone, and knows each outcome in time', async () => {
    const [inOrder, alone] = [open(new MemoryStore(), true), open(new MemoryStore(), true)];
    const ends = Array.from({ length: 40 }, (_, i) => 200 + 25 * i);
    const expected = [];
    for (const to of ends) expected.push(await ask(inOrder.memories, to));
    // Each is held until the next one of its group asks; the last one of a group waits for none.
    const got: Promise<number | string>[] = [];
    let mostOpen = 0;
    let isOpen = 0;
    for (const [i, to] of ends.entries()) {
      let release = (): void => {};
      const wait = new Promise<void>((resolve) => (release = resolve));
      mostOpen = Math.max(mostOpen, ++isOpen);
      got.push(ask(alone.memories, to, wait).finally(() => isOpen--));
      await new Promise<void>((resolve) => setImmediate(resolve));
      setImmediate(() => setImmediate(() => setImmediate(release)));
      if (i % 4 === 3) await Promise.all(got);
    }
    expect(await Promise.all(got)).to.deep.equal(expected);
    expect(mostOpen).to.be.above(1);
    await Promise.all([inOrder.memories.close(), alone.memories.close()]);
    expect(alone.store.memories.get('a eurusd')!.bytes).to.deep.equal(inOrder.store.memories.get('a eurusd')!.bytes);
  });

  it('goes on with a memory of which a forecast failed', async () => {
    const { memories, store } = open(new MemoryStore(), true);
    await ask(memories, 300);
    const request = windowOf(400);
    const failing = memories.use(KEY, request, [originOf(request)], () => Promise.reject(new Error('no answer')));
    expect(await failing.catch((error: unknown) => String(error))).to.equal('Error: no answer');
    expect(await ask(memories, 500)).to.be.a('number');
    await memories.close();
    expect(SeriesMemory.load(store.memories.get('a eurusd')!.bytes).lastMs).to.equal(originOf(windowOf(500)).originMs);
  });

  it('learns again on top of what another process wrote meanwhile', async () => {
    const store = new MemoryStore();
    const [one, two] = [open(store), open(store)];
    let release = (): void => {};
    const late = ask(one.memories, 600, new Promise((resolve) => (release = resolve)));
    await new Promise<void>((resolve) => setImmediate(resolve));
    await ask(two.memories, 500);
    release();
    await late;
    const kept = SeriesMemory.load(store.memories.get('a eurusd')!.bytes);
    const inOrder = open();
    await ask(inOrder.memories, 500);
    await ask(inOrder.memories, 600);
    expect(kept.save()).to.deep.equal(inOrder.store.memories.get('a eurusd')!.bytes);
    expect(store.memories.get('a eurusd')!.revision).to.equal(2);
  });

  it('writes a second later in a process that serves alone, and gives the same answers and bytes', async () => {
    const [always, alone] = [open(), open(new MemoryStore(), true)];
    let reads = 0;
    const read = alone.store.readMemory.bind(alone.store);
    alone.store.readMemory = (...args) => {
      reads++;
      return read(...args);
    };
    for (let to = 200; to <= 1200; to += 25) expect(await ask(alone.memories, to)).to.equal(await ask(always.memories, to));
    expect([reads, alone.store.memories.size]).to.deep.equal([1, 0]);
    alone.clock.advance(1000);
    await alone.memories.close();
    expect(alone.store.memories.get('a eurusd')!.bytes).to.deep.equal(always.store.memories.get('a eurusd')!.bytes);
    // The stored memory is what was said last, also for the process after this one.
    await ask(alone.memories, 1150);
    const view = await alone.memories.read(KEY);
    expect(view).to.not.equal('store_unavailable');
    expect(alone.store.memories.get('a eurusd')!.revision).to.equal(2);
    await ask(alone.memories, 1200);
    await alone.memories.close();
    expect(alone.store.memories.get('a eurusd')!.revision).to.equal(3);
    alone.memories.forget('a');
    expect(alone.memories.accounts()).to.deep.equal([]);
  });

  it('forecasts without memory while the store does not answer, and asks it again after 5 s', async () => {
    const { store, clock, memories, warned } = open();
    await ask(memories, 300);
    const read = store.readMemory.bind(store);
    let asked = 0;
    store.readMemory = () => {
      asked++;
      return new Promise(() => {});
    };
    const waiting = ask(memories, 400);
    await new Promise<void>((resolve) => setImmediate(resolve));
    clock.advance(500);
    expect(await waiting).to.equal('store_unavailable');
    expect(await ask(memories, 500)).to.equal('store_unavailable');
    expect([asked, warned.length]).to.deep.equal([1, 1]);
    store.readMemory = read;
    clock.advance(5000);
    expect(await ask(memories, 600)).to.be.a('number');
  });

  it('begins again where the bytes cannot be read, and stores nothing where the forecast fails', async () => {
    const { store, memories, warned } = open();
    store.memories.set('a eurusd', { bytes: Uint8Array.of(9, 9, 9), revision: 3 });
    const fault = new Error('no answer');
    const failed = await memories.use(KEY, windowOf(300), [], () => Promise.reject(fault)).catch((error: unknown) => error);
    expect([failed, store.memories.get('a eurusd')!.revision]).to.deep.equal([fault, 3]);
    expect(await ask(memories, 400)).to.equal(0);
    expect(store.memories.get('a eurusd')!.revision).to.equal(4);
    expect(new Set(warned.map(([message]) => message))).to.deep.equal(new Set(['the memory of a series is not readable and begins again']));
  });

  it('does not look into the future of a window that is older than the last one', async () => {
    const { memories, store } = open();
    await ask(memories, 900);
    const before = store.memories.get('a eurusd')!.bytes;
    const request = windowOf(600);
    const [seen] = await memories.use(KEY, request, [originOf(request)], async ([view]) => [{ remembered, view }]);
    expect(seen!.view).to.equal('other_origin');
    expect(store.memories.get('a eurusd')!.bytes).to.deep.equal(before);
  });

  it('counts the ticks that a request may teach a memory, also those of one that goes back and begins again', () => {
    const memory = new SeriesMemory();
    const counted = (to: number): number => newTicks(memory, windowOf(to));
    expect(counted(400)).to.equal(200);
    memory.join(windowOf(400).series);
    expect([counted(450), counted(900), counted(300)]).to.deep.equal([51, 200, 200]);
  });

  it('keeps the memories of as many series in turn as fit, and says of the others that theirs are not used', async () => {
    for (const isAlone of [false, true]) {
      const { memories, store, clock } = open(roomyStore(100), isAlone);
      const known = new Map<string, (number | string)[]>();
      for (let to = 200; to <= 1000; to += 100) {
        for (let i = 0; i < 120; i++) {
          const request = windowOf(to);
          const key = { accountId: 'a', series: `s${i}` };
          const [made] = await memories.use(key, request, [originOf(request)], async ([view]) => [
            { remembered, known: typeof view === 'string' ? view : view!.outcomes.count },
          ]);
          known.set(key.series, [...(known.get(key.series) ?? []), made!.known]);
        }
        // The writes of a process that serves alone come later.
        clock.advance(1000);
        await settled();
      }
      expect(store.memories.size).to.equal(100);
      for (let i = 0; i < 120; i++) {
        const found = known.get(`s${i}`)!;
        if (i < 100) expect(found.at(-1)).to.be.above(3);
        else
          expect(
            found.slice(1).every((one) => one === 'too_many_series'),
            found.join(),
          ).to.equal(true);
      }
    }
  });
});

/** Has room for so many memories, all of which are in use. */
function roomyStore(most: number): MemoryStore {
  const store = new MemoryStore();
  const { writeMemory } = store;
  store.writeMemory = async (row, before, atMs) => {
    const isFull = before === 0 && !store.memories.has(`${row.accountId} ${row.series}`) && store.memories.size >= most;
    return isFull ? 'full' : writeMemory(row, before, atMs);
  };
  return store;
}

async function settled(): Promise<void> {
  for (let i = 0; i < 2000; i++) await Promise.resolve();
}
