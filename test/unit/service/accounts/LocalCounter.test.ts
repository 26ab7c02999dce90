import { expect } from 'chai';
import { MemoryCounter } from '../../../../src/service/accounts/limits/MemoryCounter.ts';
import { LocalCounter } from '../../../../src/service/accounts/limits/LocalCounter.ts';
import type { Counter } from '../../../../src/service/accounts/limits/RateLimit.ts';
import { FakeClock } from '../../../support/FakeClock.ts';

/** A shared counter that answers after one iteration of the event loop and records its calls. */
function makeShared(quota: number) {
  const clock = new FakeClock();
  const policy = { name: 'forecasts', quota, windowSeconds: 60 };
  const counts = new MemoryCounter(policy, clock);
  const sent: number[] = [];
  const shared: Counter = {
    add: async (subject, count) => {
      sent.push(count);
      const counted = counts.add(subject, count);
      await new Promise((resolve) => setImmediate(resolve));
      return counted;
    },
  };
  const near = (): LocalCounter => new LocalCounter(policy, shared, clock);
  /** The answers of `shared` take one turn of the event loop. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const report = (): Promise<void> => {
    clock.advance(20);
    return settle();
  };
  return { clock, counts, sent, near, settle, report };
}

describe('LocalCounter', () => {
  it('passes on that the shared counter was not reached, until it is again', async () => {
    const { clock } = makeShared(0);
    let isLocal = true;
    const shared: Counter = { add: async () => ({ count: 1, resetMs: 60_000, ...(isLocal ? { isLocal } : {}) }) };
    const counter = new LocalCounter({ name: 'forecasts', quota: 6400, windowSeconds: 60 }, shared, clock);
    for (let i = 0; i < 3; i++) expect((await counter.add('a', 1)).isLocal).to.equal(true);
    isLocal = false;
    clock.advance(20);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await counter.add('a', 1)).isLocal).to.equal(undefined);
  });

  it('calls the shared counter for the first unit of a subject, counts the next ones itself and reports them together', async () => {
    const { counts, sent, near, report } = makeShared(6400);
    const counter = near();
    const seen: number[] = [];
    for (let i = 0; i < 50; i++) seen.push((await counter.add('a', 1)).count);
    expect(seen).to.deep.equal(Array.from({ length: 50 }, (_, i) => i + 1));
    expect(sent).to.deep.equal([1]);
    await report();
    expect(sent).to.deep.equal([1, 49]);
    expect((await counts.add('a', 0)).count).to.equal(50);
    await report();
    expect(sent, 'nothing to report').to.deep.equal([1, 49]);
  });

  it('sees the counts of the other processes in a look, which counts nothing', async () => {
    const { near, report } = makeShared(6400);
    const [here, there] = [near(), near()];
    await there.add('a', 1);
    for (let i = 0; i < 40; i++) await here.add('a', 1);
    await report();
    expect([(await there.add('a', 0)).count, (await there.add('a', 0)).count, (await here.add('a', 0)).count]).to.deep.equal([41, 41, 41]);
  });

  it('gets the counts of the other processes from each report', async () => {
    const { near, report } = makeShared(6400);
    const [one, two] = [near(), near()];
    for (let i = 0; i < 30; i++) await Promise.all([one.add('a', 1), two.add('a', 1)]);
    await report();
    await report();
    await one.add('a', 1);
    await report();
    expect((await one.add('a', 1)).count).to.equal(62);
  });

  it('never lets 16 processes together exceed the quota, and loses no unit', async () => {
    const { near, report } = makeShared(640);
    const processes = Array.from({ length: 16 }, near);
    let admitted = 0;
    for (let round = 0; round < 100; round++) {
      const counted = await Promise.all(processes.map((each) => each.add('a', 1)));
      admitted += counted.filter(({ count }) => count <= 640).length;
      if (round % 7 === 0) await report();
    }
    expect(admitted).to.equal(640);
  });

  it('calls the shared counter for each unit if the quota is small', async () => {
    const { sent, near } = makeShared(12);
    const counter = near();
    for (let i = 1; i <= 14; i++) expect((await counter.add('a', 1)).count).to.equal(i);
    expect(sent).to.deep.equal(Array(14).fill(1));
  });

  it('returns units, and restarts with the next window', async () => {
    const { clock, counts, near, report } = makeShared(6400);
    const counter = near();
    for (let i = 0; i < 10; i++) await counter.add('a', 1);
    expect((await counter.add('a', -1)).count).to.equal(9);
    await report();
    expect((await counts.add('a', 0)).count).to.equal(9);
    clock.advance(60_000);
    expect((await counter.add('a', 1)).count).to.equal(1);
  });

  it('loses no unit if several are sent before the first answer', async () => {
    const { counts, near, settle, report } = makeShared(6400);
    const counter = near();
    const first = [counter.add('a', 1), counter.add('a', 1)];
    await first[0];
    await counter.add('a', 1);
    await Promise.all(first);
    await settle();
    await report();
    expect((await counts.add('a', 0)).count).to.equal(3);
  });
});
