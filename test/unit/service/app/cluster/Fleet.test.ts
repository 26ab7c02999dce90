import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { Fleet, WorkerFailed, type WorkerProcess } from '../../../../../src/service/app/cluster/Fleet.ts';
import type { FromWorker, ToWorker } from '../../../../../src/service/app/cluster/WorkerLink.ts';
import { silentLogger } from '../../../../../src/core/Logger.ts';
import { sumMetrics } from '../../../../../src/core/observability/Metrics.ts';
import { FakeClock } from '../../../../support/FakeClock.ts';

/** A worker that the test plays. */
class FakeWorker extends EventEmitter implements WorkerProcess {
  readonly pid = 1;
  readonly told: ToWorker[] = [];
  isKilled = false;

  send(message: ToWorker, _sent?: () => void): void {
    this.told.push(message);
  }

  kill(): void {
    this.isKilled = true;
    this.emit('exit', null, 'SIGKILL');
  }

  say(message: FromWorker): void {
    this.emit('message', message);
  }

  end(code: number): void {
    this.emit('exit', code, null);
  }
}

const READY = { kind: 'ready', url: 'http://x:1', port: 1 } as const;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function openFleet(size: number): { fleet: Fleet; workers: FakeWorker[]; clock: FakeClock } {
  const [workers, clock] = [[] as FakeWorker[], new FakeClock()];
  const fork = (): FakeWorker => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  };
  return { fleet: new Fleet({ size, fork, startMs: 60_000, stopMs: 15_000, clock, logger: silentLogger }), workers, clock };
}

async function readyFleet(size: number): Promise<ReturnType<typeof openFleet>> {
  const open = openFleet(size);
  const started = open.fleet.start();
  open.workers[0].say(READY);
  await turn();
  for (const worker of open.workers.slice(1)) worker.say(READY);
  await started;
  return open;
}

describe('Fleet', () => {
  it('starts one worker, the others once it is ready, and is ready itself then', async () => {
    const { fleet, workers } = openFleet(3);
    const started = fleet.start();
    await turn();
    expect(workers).to.have.lengthOf(1);
    workers[0].say(READY);
    expect(await started, 'the others never become ready').to.include({ url: 'http://x:1', port: 1 });
    expect(workers).to.have.lengthOf(3);
  });

  it('fails where the first ends before it is ready, with its code', async () => {
    const { fleet, workers, clock } = openFleet(2);
    const started = fleet.start().catch((error: unknown) => error);
    workers[0].end(7);
    const error = await started;
    expect(error).to.be.instanceOf(WorkerFailed);
    expect((error as WorkerFailed).code).to.equal(7);
    clock.advance(60_000);
    expect(workers).to.have.lengthOf(1);
  });

  it('replaces a worker that ends, that is never ready, or that hangs', async () => {
    const { fleet, workers, clock } = await readyFleet(3);
    expect(fleet.restarts).to.equal(0);
    workers[0].end(1);
    await turn();
    clock.advance(100);
    expect(workers, 'it ended').to.have.lengthOf(4);
    clock.advance(60_000);
    await turn();
    expect(workers[3].isKilled).to.equal(true);
    clock.advance(200);
    expect(workers, 'it was never ready').to.have.lengthOf(5);
    workers[4].say(READY);
    await turn();
    const alive = [workers[1], workers[2]];
    for (let second = 0; second < 11; second++) {
      for (const worker of alive) worker.say({ kind: 'pong' });
      clock.advance(1000);
    }
    await turn();
    expect([workers[4], ...alive].map(({ isKilled }) => isKilled)).to.deep.equal([true, false, false]);
    clock.advance(400);
    expect(workers, 'it hung').to.have.lengthOf(6);
    expect(fleet.restarts).to.equal(3);
  });

  it('counts once for all, and tells a change of keys to the others only', async () => {
    const { workers } = await readyFleet(3);
    const policy = { name: 'forecasts', quota: 5, windowSeconds: 60 };
    for (const [i, worker] of workers.entries()) worker.say({ kind: 'count', id: i, adds: [{ policy, subject: 'k', count: 1 }] });
    await turn();
    const counts = workers.map(({ told }) => told.flatMap((message) => (message.kind === 'counted' ? message.results : [])));
    expect(counts.map(([result]) => result?.count)).to.deep.equal([1, 2, 3]);
    workers[1].say({ kind: 'forget', accountId: 'a' });
    expect(workers.map(({ told }) => told.filter(({ kind }) => kind === 'forget').length)).to.deep.equal([1, 0, 1]);
  });

  it('tells the others of a valid key, and a worker that takes the place of one of those of the last', async () => {
    const { workers, clock } = await readyFleet(2);
    const toldOf = (at: number): string[] => workers[at].told.flatMap((message) => (message.kind === 'valid' ? message.digests : []));
    for (let key = 0; key <= 10_000; key++) workers[1].say({ kind: 'valid', digests: [`${key}`] });
    expect([toldOf(0).length, toldOf(0).at(-1), toldOf(1)]).to.deep.equal([10_001, '10000', []]);
    workers[0].end(1);
    await turn();
    clock.advance(100);
    workers[2].say(READY);
    expect([toldOf(2).length, toldOf(2)[0], toldOf(2).at(-1)]).to.deep.equal([10_000, '1', '10000']);
  });

  describe('metrics', () => {
    const counter = (value: number): object => ({
      name: 'c',
      help: 'c',
      type: 'counter',
      aggregator: 'sum',
      values: [{ value, labels: {} }],
    });
    const gauge = (value: number): object => ({ ...counter(value), name: 'g', type: 'gauge' });
    const answer = (worker: FakeWorker, value: number): void => {
      const question = worker.told.findLast(({ kind }) => kind === 'metrics');
      if (question?.kind !== 'metrics') expect.fail('it was not asked');
      worker.say({ kind: 'metrics', id: question.id, metrics: [counter(value), gauge(value)] });
    };
    /** Sums of the counter and of the gauge, where each worker answers with its value, or late without one. */
    async function scrape({ fleet, clock }: ReturnType<typeof openFleet>, answers: readonly [FakeWorker, number?][]): Promise<number[]> {
      const asked = sumMetrics(() => fleet.metrics()).text();
      for (const [worker, value] of answers) if (value !== undefined) answer(worker, value);
      if (answers.some(([, value]) => value === undefined)) clock.advance(2000);
      const text = await asked;
      return ['c', 'g'].map((name) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]));
    }

    it('are summed, and a worker that answers late counts with its last answer', async () => {
      const open = await readyFleet(2);
      const [first, second] = open.workers as [FakeWorker, FakeWorker];
      expect(await scrape(open, [[first, 10], [second]]), 'the second has never answered').to.deep.equal([10, 10]);
      answer(second, 5);
      expect(await scrape(open, [[first], [second, 7]])).to.deep.equal([17, 17]);
    });

    it('keep what a worker has counted when it ends, without its gauges', async () => {
      const open = await readyFleet(2);
      const [first, second] = open.workers as [FakeWorker, FakeWorker];
      expect(
        await scrape(open, [
          [first, 10],
          [second, 7],
        ]),
      ).to.deep.equal([17, 17]);
      second.end(1);
      await turn();
      expect(await scrape(open, [[first, 11]]), 'not replaced yet').to.deep.equal([18, 11]);
      open.clock.advance(100);
      const third = open.workers[2];
      third.say(READY);
      await turn();
      expect(
        await scrape(open, [
          [first, 11],
          [third, 1],
        ]),
      ).to.deep.equal([19, 12]);
      third.end(1);
      answer(second, 100);
      await turn();
      expect(await scrape(open, [[first, 11]]), 'two have ended').to.deep.equal([19, 11]);
    });
  });

  it('stops when the last has ended, does not wait for one that is to be replaced, and replaces none any more', async () => {
    const { fleet, workers, clock } = await readyFleet(3);
    workers[2].end(1);
    let isOver = false;
    let drained = (): void => {};
    const stopped = fleet.stop(() => new Promise((resolve) => (drained = resolve))).then(() => (isOver = true));
    expect(workers.slice(0, 2).map(({ told }) => told.at(-1)?.kind)).to.deep.equal(['stopping', 'stopping']);
    drained();
    await turn();
    expect(workers.slice(0, 2).map(({ told }) => told.at(-1)?.kind)).to.deep.equal(['stop', 'stop']);
    workers[0].end(0);
    await turn();
    expect(isOver).to.equal(false);
    workers[1].end(0);
    await stopped;
    clock.advance(60_000);
    expect(workers).to.have.lengthOf(3);
  });

  it('kills a worker that does not stop in time', async () => {
    const { fleet, workers, clock } = await readyFleet(2);
    const stopped = fleet.stop();
    await turn();
    workers[0].end(0);
    await turn();
    clock.advance(15_000);
    await stopped;
    expect(workers.map(({ isKilled }) => isKilled)).to.deep.equal([false, true]);
  });

  it('kills all at once', async () => {
    const { fleet, workers } = await readyFleet(2);
    fleet.kill();
    expect(workers.map(({ isKilled }) => isKilled)).to.deep.equal([true, true]);
  });

  it('tells workers which keys the others watch, and passes copies on to those alone', async () => {
    const { workers, clock } = await readyFleet(3);
    const [first, second, third] = workers as [FakeWorker, FakeWorker, FakeWorker];
    first.say({ kind: 'watch', keyIds: ['a', 'b'], wanted: 'b' });
    second.say({ kind: 'watch', keyIds: ['b'], wanted: 'b' });
    const watches = ({ told }: FakeWorker): unknown[] => told.filter(({ kind }) => kind === 'watch');
    expect(watches(first)).to.deep.equal([{ kind: 'watch', keyIds: ['b'], wanted: 'b' }]);
    expect(watches(third)).to.deep.equal([{ kind: 'watch', keyIds: ['a', 'b'], wanted: 'b' }, { kind: 'watch', keyIds: ['a', 'b'], wanted: 'b' }]); // prettier-ignore
    const copies = { keyId: 'a', texts: '1', count: 1, dropped: 0 };
    third.say({ kind: 'copies', copies });
    const got = ({ told }: FakeWorker): unknown[] => told.flatMap((message) => (message.kind === 'copies' ? [message.copies] : []));
    expect([got(first), got(second), got(third)]).to.deep.equal([[copies], [], []]);
    first.end(1);
    await turn();
    expect(watches(third).at(-1)).to.deep.equal({ kind: 'watch', keyIds: ['b'], wanted: undefined });
    clock.advance(100);
    const again = workers.at(-1)!;
    again.told.length = 0;
    again.say(READY);
    expect(watches(again), 'a new worker').to.deep.equal([{ kind: 'watch', keyIds: ['b'], wanted: undefined }]);
  });

  it('drops copies for a worker that does not take them, and counts them', async () => {
    const { workers } = await readyFleet(2);
    const [first, second] = workers as [FakeWorker, FakeWorker];
    const sent: (() => void)[] = [];
    first.send = (message, done) => {
      first.told.push(message);
      if (done !== undefined) sent.push(done);
    };
    first.say({ kind: 'watch', keyIds: ['a'] });
    for (let i = 0; i < 40; i++) second.say({ kind: 'copies', copies: { keyId: 'a', texts: '1,2', count: 2, dropped: 0 } });
    expect(sent).to.have.length(32);
    sent[0]();
    second.say({ kind: 'copies', copies: { keyId: 'a', texts: '1', count: 1, dropped: 1 } });
    expect(first.told.at(-1)).to.deep.equal({ kind: 'copies', copies: { keyId: 'a', texts: '1', count: 1, dropped: 17 } });
  });
});
