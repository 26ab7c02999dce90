import { expect } from 'chai';
import type { ServiceError } from '../../../../src/core/ServiceError.ts';
import { chooseMaxBatch } from '../../../../src/engine/inference/warmUp.ts';
import { MicroBatcher, TO_PROCESS, type BatchTime, type MicroBatcherDeps } from '../../../../src/engine/inference/MicroBatcher.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { serviceErrorOf } from '../../../support/serviceErrorOf.ts';

type Run = {
  readonly group: string;
  readonly items: readonly number[];
  end(results?: readonly (number | Error)[]): Promise<void>;
  fail(error: Error): Promise<void>;
};

/** A device that does what the test says, when it says so. */
function makeRig(given: Partial<MicroBatcherDeps<number, number>> = {}) {
  const clock = new FakeClock();
  const runs: Run[] = [];
  const starts: (() => void)[] = [];
  const sizes: number[] = [];
  /** Lets everything that is settled reach whom it concerns. */
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) {
      for (const start of starts.splice(0)) start();
      await Promise.resolve();
    }
  };
  const batcher = new MicroBatcher<number, number>({
    clock,
    maxBatch: () => 4,
    maxRunning: 1,
    whenArrived: (start) => void starts.push(start),
    onBatch: ({ size }) => void sizes.push(size),
    run: (group, items) =>
      new Promise((resolve, reject) => {
        runs.push({
          group,
          items,
          end: (results = items.map((item) => item * 10)) => {
            resolve(results);
            return settle();
          },
          fail: (error) => {
            reject(error);
            return settle();
          },
        });
      }),
    ...given,
  });
  const ask = (item: number, deadlineMs?: number, group = 'g'): Promise<number> => batcher.submit(group, item, deadlineMs);
  return { batcher, clock, runs, sizes, settle, ask };
}

describe('MicroBatcher', () => {
  it('runs together what waits together when the device is free, and answers each with its own', async () => {
    const { runs, settle, ask, sizes } = makeRig();
    const first = [ask(1), ask(2)];
    await settle();
    expect(runs.map(({ items }) => items)).to.deep.equal([[1, 2]]);
    const later = [3, 4, 5, 6, 7].map((item) => ask(item));
    await settle();
    expect(runs, 'one batch at a time').to.have.length(1);
    await runs[0]?.end();
    expect(await Promise.all(first)).to.deep.equal([10, 20]);
    expect(runs[1]?.items).to.deep.equal([3, 4, 5, 6]);
    await runs[1]?.end();
    await runs[2]?.end();
    expect(await Promise.all(later)).to.deep.equal([30, 40, 50, 60, 70]);
    expect(sizes).to.deep.equal([2, 4, 1]);
  });

  it('never mixes groups', async () => {
    const { runs, settle, ask } = makeRig();
    const all = [ask(1, undefined, 'x'), ask(2, undefined, 'y'), ask(3, undefined, 'x')];
    await settle();
    await runs[0]?.end();
    await runs[1]?.end();
    expect(await Promise.all(all)).to.deep.equal([10, 20, 30]);
    expect(runs.map(({ group, items }) => `${group} ${items.join()}`)).to.deep.equal(['x 1,3', 'y 2']);
  });

  it('rejects by a timer what is past its deadline, queued or running, while the device answers nothing', async () => {
    const { batcher, clock, runs, settle, ask } = makeRig();
    const deadlineMs = clock.monotonicMs() + 1000;
    const asked = [1, 2, 3, 4, 5, 6].map((item) => ask(item, deadlineMs).catch((error: ServiceError) => error.code));
    await settle();
    expect([runs[0]?.items.length, batcher.queued]).to.deep.equal([4, 2]);
    const outcomes: unknown[] = [];
    for (const each of asked) void each.then((outcome) => outcomes.push(outcome));
    for (let ms = 0; ms < 950; ms += 50) clock.advance(50);
    await settle();
    expect(outcomes).to.deep.equal([]);
    clock.advance(50);
    await settle();
    expect(outcomes).to.deep.equal(Array(6).fill('inference.deadline'));
    void ask(7);
    await settle();
    expect([runs.length, batcher.queued], 'the device is not free yet').to.deep.equal([1, 1]);
    await runs[0]?.end();
    expect(runs[1]?.items).to.deep.equal([7]);
  });

  it('does not run again one by one what is past its deadline when a batch throws', async () => {
    const { clock, runs, settle, ask } = makeRig();
    const deadlineMs = clock.monotonicMs() + 1000;
    const late = ask(1, deadlineMs).catch((error: ServiceError) => error.code);
    const patient = ask(2);
    await settle();
    clock.advance(1000);
    await runs[0]?.fail(new Error('poisoned'));
    expect(runs.map(({ items }) => items)).to.deep.equal([[1, 2], [2]]);
    await runs[1]?.end();
    expect([await late, await patient]).to.deep.equal(['inference.deadline', 20]);
  });

  it('never runs whose deadline passed in the queue: 504 (row 26)', async () => {
    const { clock, runs, settle, ask } = makeRig();
    void ask(1);
    await settle();
    const late = ask(2, clock.monotonicMs() + 50);
    const patient = ask(3);
    clock.advance(200);
    await runs[0]?.end();
    const refusal = await serviceErrorOf(late);
    expect([refusal.code, refusal.status]).to.deep.equal(['inference.deadline', 504]);
    expect(runs[1]?.items).to.deep.equal([3]);
    await runs[1]?.end();
    expect(await patient).to.equal(30);
  });

  it('fails the poisoned one alone, whether the run names it or throws (row 28)', async () => {
    const named = makeRig();
    const some = [1, 2, 3].map((item) => named.ask(item).catch((error: Error) => error.message));
    await named.settle();
    await named.runs[0]?.end([10, new Error('poison'), 30]);
    expect(await Promise.all(some)).to.deep.equal([10, 'poison', 30]);

    const thrown = makeRig();
    const others = [1, 2, 3].map((item) => thrown.ask(item).catch((error: Error) => error.message));
    await thrown.settle();
    await thrown.runs[0]?.fail(new Error('poison'));
    for (const item of [1, 2, 3]) {
      const run = thrown.runs[item];
      if (item === 2) await run?.fail(new Error('poison'));
      else await run?.end();
    }
    expect(await Promise.all(others)).to.deep.equal([10, 'poison', 30]);
    const after = thrown.ask(4);
    await thrown.settle();
    await thrown.runs[4]?.end();
    expect(await after, 'the device goes on').to.equal(40);
  });

  it('refuses queued and later requests when it closes; running ones finish', async () => {
    const { batcher, runs, settle, ask } = makeRig();
    const running = ask(1);
    await settle();
    const waiting = ask(2);
    batcher.close();
    expect((await serviceErrorOf(waiting)).code).to.equal('service.not_ready');
    expect((await serviceErrorOf(ask(3))).code).to.equal('service.not_ready');
    await runs[0]?.end();
    expect(await running).to.equal(10);
  });

  describe('with two batches at once', () => {
    const twoRunning = () => {
      const times: BatchTime[] = [];
      return { ...makeRig({ ...TO_PROCESS, onBatch: (time) => void times.push(time) }), times };
    };

    it('sends the second while the first one runs, and no third', async () => {
      const { runs, ask, settle } = twoRunning();
      const answers = [1, 2, 3, 4].map((item) => ask(item));
      await settle();
      expect(runs.map(({ items }) => items)).to.deep.equal([[1], [2]]);
      await runs[0]?.end();
      expect(runs[2]?.items).to.deep.equal([3, 4]);
      await runs[1]?.end();
      await runs[2]?.end();
      expect(await Promise.all(answers)).to.deep.equal([10, 20, 30, 40]);
    });

    it('reports what each took of the device, not how long it waited there for the other', async () => {
      const { runs, ask, clock, settle, times } = twoRunning();
      void ask(1);
      void ask(2);
      clock.advance(7);
      await runs[0]?.end();
      clock.advance(5);
      await runs[1]?.end();
      clock.advance(100);
      void ask(3);
      await settle();
      clock.advance(3);
      await runs[2]?.end();
      expect(times).to.deep.equal([7, 5, 3].map((ms) => ({ size: 1, ms })));
    });

    it('goes on where one of them throws', async () => {
      const { runs, ask } = twoRunning();
      const answers = [1, 2, 3].map((item) => ask(item).catch((error: Error) => error.message));
      await runs[0]?.fail(new Error('poison'));
      await runs[1]?.end();
      await runs[2]?.end();
      expect(await Promise.all(answers)).to.deep.equal(['poison', 20, 30]);
    });
  });
});

describe('chooseMaxBatch', () => {
  it('takes the smallest size beyond which no other runs 5 % more items a second', () => {
    const of = (...times: [size: number, ms: number][]) =>
      chooseMaxBatch(times.map(([batch, ms]) => ({ batch, lstm: undefined, readout: { chosen: 'fused' as const, ms, timesMs: {} } })));
    expect(of()).to.equal(1);
    expect(of([1, 1], [8, 2], [32, 4], [64, 7.9])).to.equal(32);
    expect(of([1, 1], [8, 8], [32, 32])).to.equal(1);
  });
});
