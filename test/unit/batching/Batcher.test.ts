import { expect } from 'chai';
import { Batcher, type Asking, type BatcherDeps } from '../../../src/batching/Batcher.ts';
import { DurationModel, type BatchTime } from '../../../src/batching/DurationModel.ts';
import { ServiceError } from '../../../src/core/ServiceError.ts';
import { FakeClock } from '../../support/FakeClock.ts';
import { refusalOf } from '../../support/refusalOf.ts';

type Run = {
  readonly group: string;
  readonly items: readonly number[];
  end(results?: readonly (number | Error)[]): Promise<void>;
  fail(error: Error): Promise<void>;
};

/** A device that does what the test says, when it says so. */
function makeRig(given: Partial<BatcherDeps<number, number>> = {}) {
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
  const batcher = new Batcher<number, number>({
    clock,
    durations: new DurationModel([
      { size: 1, ms: 10 },
      { size: 2, ms: 20 },
    ]),
    maxBatch: () => 4,
    maxWaiting: 10,
    maxUnderWay: 1,
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
  const ask = (item: number, asking: Partial<Asking> = {}, group = 'g'): Promise<number> =>
    batcher.submit(group, item, { owner: 'a', ...asking });
  return { batcher, clock, runs, sizes, settle, ask };
}

describe('Batcher', () => {
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
    const all = [ask(1, {}, 'x'), ask(2, { owner: 'b' }, 'y'), ask(3, { owner: 'c' }, 'x')];
    await settle();
    await runs[0]?.end();
    await runs[1]?.end();
    expect(await Promise.all(all)).to.deep.equal([10, 20, 30]);
    expect(runs.map(({ group, items }) => `${group} ${items.join()}`)).to.deep.equal(['x 1,3', 'y 2']);
  });

  it('refuses exactly two of two more than it can run and hold, at once, with 503 and Retry-After (row 25)', async () => {
    const { runs, settle, ask, batcher } = makeRig();
    const answers = [1, 2, 3, 4].map((item) => ask(item).catch((error: ServiceError) => error));
    await settle();
    answers.push(...Array.from({ length: 12 }, (_, i) => ask(10 + i).catch((error: ServiceError) => error as never)));
    await settle();
    expect([runs.length, batcher.waiting]).to.deep.equal([1, 10]);
    for (let at = 0; at < runs.length; at++) await runs[at]?.end();
    const refused = (await Promise.all(answers)).filter((answer) => answer instanceof ServiceError);
    expect(refused.map(({ code, status, headers }) => [code, status, headers['Retry-After']])).to.deep.equal(
      [1, 1].map(() => ['inference.overloaded', 503, '1']),
    );
    expect(batcher.waiting).to.equal(0);
  });

  it('refuses at once whose deadline cannot be met, by what runs and waits before it (row 26)', async () => {
    const { clock, runs, settle, ask } = makeRig();
    const nowMs = clock.monotonicMs();
    const soon = (ms: number): Partial<Asking> => ({ deadlineMs: nowMs + ms });
    expect((await refusalOf(ask(1, soon(9)))).code).to.equal('inference.overloaded');
    void ask(1, soon(10));
    await settle();
    void ask(2).catch(() => {});
    expect((await refusalOf(ask(3, soon(29)))).code, '10 ms run, two wait: 30').to.equal('inference.overloaded');
    const third = ask(3, soon(30));
    await runs[0]?.end();
    await runs[1]?.end();
    expect(await third).to.equal(30);
  });

  it('rejects by a timer what is past its deadline, queued or running, while the device answers nothing', async () => {
    const { batcher, clock, runs, settle, ask } = makeRig();
    const deadlineMs = clock.monotonicMs() + 1000;
    const asked = [1, 2, 3, 4, 5, 6].map((item) => ask(item, { deadlineMs }).catch((error: ServiceError) => error.code));
    await settle();
    expect([runs.length, batcher.running, batcher.waiting]).to.deep.equal([1, 4, 2]);
    const outcomes: unknown[] = [];
    for (const each of asked) void each.then((outcome) => outcomes.push(outcome));
    for (let ms = 0; ms < 950; ms += 50) clock.advance(50);
    await settle();
    expect(outcomes).to.deep.equal([]);
    clock.advance(50);
    await settle();
    expect(outcomes).to.deep.equal(Array(6).fill('inference.deadline'));
    expect([batcher.running, batcher.waiting], 'the device is not free yet').to.deep.equal([4, 0]);
    await runs[0]?.end();
    expect([runs.length, batcher.running]).to.deep.equal([1, 0]);
  });

  it('does not run again one by one what is past its deadline when a batch throws', async () => {
    const { clock, runs, settle, ask } = makeRig();
    const deadlineMs = clock.monotonicMs() + 1000;
    const late = ask(1, { deadlineMs }).catch((error: ServiceError) => error.code);
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
    const late = ask(2, { deadlineMs: clock.monotonicMs() + 50 });
    const patient = ask(3);
    clock.advance(200);
    await runs[0]?.end();
    const refusal = await refusalOf(late);
    expect([refusal.code, refusal.status]).to.deep.equal(['inference.deadline', 504]);
    expect(runs[1]?.items).to.deep.equal([3]);
    await runs[1]?.end();
    expect(await patient).to.equal(30);
  });

  it('forgets who went away before the device was free (row 27)', async () => {
    const { batcher, runs, settle, ask } = makeRig({ maxWaiting: 200 });
    void ask(0);
    await settle();
    const controllers = Array.from({ length: 100 }, () => new AbortController());
    const answers = controllers.map(({ signal }, i) => ask(i + 1, { signal, owner: `${i % 7}` }).catch((error: Error) => error.message));
    for (const [i, controller] of controllers.entries()) if (i % 2 === 0) controller.abort(new Error('gone'));
    expect(batcher.waiting).to.equal(50);
    await runs[0]?.end();
    for (let at = 1; at < runs.length; at++) await runs[at]?.end();
    const settled = await Promise.all(answers);
    expect(settled.filter((answer) => answer === 'gone')).to.have.length(50);
    expect(
      runs
        .slice(1)
        .flatMap(({ items }) => items)
        .every((item) => item % 2 === 0),
    ).to.equal(true);
    expect(batcher.waiting).to.equal(0);
    expect(await ask(1, { signal: AbortSignal.abort(new Error('gone before')) }).catch((error: Error) => error.message)).to.equal(
      'gone before',
    );
  });

  it('listens to a signal only while an item waits: a request may ask many times', async () => {
    const { runs, settle, ask } = makeRig();
    const controller = new AbortController();
    const seen = { added: 0, removed: 0 };
    const { signal } = controller;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...args: Parameters<typeof add>) => (seen.added++, add(...args));
    signal.removeEventListener = (...args: Parameters<typeof remove>) => (seen.removed++, remove(...args));
    for (let at = 0; at < 3; at++) {
      const answer = ask(at, { signal });
      await settle();
      await runs[at]?.end();
      await answer;
    }
    expect(seen).to.deep.equal({ added: 3, removed: 3 });
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

  it('serves one who asks once within two batches of another’s flood (row 31)', async () => {
    const { runs, settle, ask } = makeRig({ maxWaiting: 1000 });
    for (let i = 0; i < 100; i++) void ask(i).catch(() => {});
    await settle();
    const once = ask(1000, { owner: 'b' });
    await runs[0]?.end();
    expect(runs[1]?.items).to.include(1000);
    await runs[1]?.end();
    expect(await once).to.equal(10_000);
  });

  it('refuses what waits when it closes, and whoever comes after; what runs ends', async () => {
    const { batcher, runs, settle, ask } = makeRig();
    const running = ask(1);
    await settle();
    const waiting = ask(2);
    batcher.close();
    expect((await refusalOf(waiting)).code).to.equal('service.not_ready');
    expect((await refusalOf(ask(3))).code).to.equal('service.not_ready');
    await runs[0]?.end();
    expect(await running).to.equal(10);
  });

  describe('with two batches under way', () => {
    const twoUnderWay = () => {
      const learned: BatchTime[] = [];
      const durations = { expect: (size: number) => 10 * size, learn: (time: BatchTime) => void learned.push(time) };
      return { ...makeRig({ maxUnderWay: 2, whenArrived: (start) => start(), durations }), learned };
    };

    it('sends the second while the first one runs, and no third', async () => {
      const { runs, ask, settle } = twoUnderWay();
      const answers = [1, 2, 3, 4].map((item) => ask(item));
      await settle();
      expect(runs.map(({ items }) => items)).to.deep.equal([[1], [2]]);
      await runs[0]?.end();
      expect(runs[2]?.items).to.deep.equal([3, 4]);
      await runs[1]?.end();
      await runs[2]?.end();
      expect(await Promise.all(answers)).to.deep.equal([10, 20, 30, 40]);
    });

    it('learns what each took of the device, not how long it waited there for the other', async () => {
      const { runs, ask, clock, settle, learned } = twoUnderWay();
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
      expect(learned).to.deep.equal([7, 5, 3].map((ms) => ({ size: 1, ms })));
    });

    it('refuses by what both of them are expected to take, and by what is left once one has ended', async () => {
      const { runs, ask, clock } = twoUnderWay();
      const within = (ms: number): Partial<Asking> => ({ deadlineMs: clock.monotonicMs() + ms });
      void ask(1);
      void ask(2);
      expect((await refusalOf(ask(3, within(29)))).code).to.equal('inference.overloaded');
      const third = ask(3, within(30));
      clock.advance(2);
      await runs[0]?.end();
      expect((await refusalOf(ask(4, within(29)))).code, 'the two that are left, and itself').to.equal('inference.overloaded');
      const fourth = ask(4, within(30));
      await runs[1]?.end();
      await runs[2]?.end();
      await runs[3]?.end();
      expect(await Promise.all([third, fourth])).to.deep.equal([30, 40]);
    });

    it('lets one who asks once wait for no more than one full batch of another’s flood (row 31)', async () => {
      const { runs, ask } = twoUnderWay();
      for (let i = 0; i < 9; i++) void ask(i).catch(() => {});
      await runs[0]?.end();
      await runs[1]?.end();
      // Two and two of the flood are under way now, of at most four.
      expect(runs.slice(2).map(({ items }) => items.length)).to.deep.equal([2, 2]);
      const once = ask(1000, { owner: 'b' });
      await runs[2]?.end();
      expect(runs[4]?.items).to.include(1000);
      await runs[3]?.end();
      await runs[4]?.end();
      expect(await once).to.equal(10_000);
    });

    it('goes on where one of them throws', async () => {
      const { runs, ask } = twoUnderWay();
      const answers = [1, 2, 3].map((item) => ask(item).catch((error: Error) => error.message));
      await runs[0]?.fail(new Error('poison'));
      await runs[1]?.end();
      await runs[2]?.end();
      expect(await Promise.all(answers)).to.deep.equal(['poison', 20, 30]);
    });
  });
});
