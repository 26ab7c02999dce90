import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { WorkerLink, type Channel, type FromWorker, type ToWorker } from '../../../../../src/service/app/cluster/WorkerLink.ts';

/** The line to a primary process that the test plays. */
class FakeChannel extends EventEmitter implements Channel {
  readonly sent: FromWorker[] = [];

  send(message: FromWorker): void {
    this.sent.push(message);
  }

  say(message: ToWorker): void {
    this.emit('message', message);
  }
}

const POLICY = { name: 'forecasts', quota: 5, windowSeconds: 60 };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('WorkerLink', () => {
  it('sends the counts of one turn together, and gives each its own result', async () => {
    const channel = new FakeChannel();
    const link = new WorkerLink(channel);
    const counter = link.counterOf(POLICY);
    const counted = [counter.add('a', 1), counter.add('b', -1)];
    await turn();
    const later = counter.add('c', 1);
    await turn();
    expect(channel.sent).to.deep.equal([
      { kind: 'count', id: 0, adds: [{ policy: POLICY, subject: 'a', count: 1 }, { policy: POLICY, subject: 'b', count: -1 }] }, // prettier-ignore
      { kind: 'count', id: 1, adds: [{ policy: POLICY, subject: 'c', count: 1 }] },
    ]);
    channel.say({ kind: 'counted', id: 1, results: [{ count: 3, resetMs: 30 }] });
    channel.say({ kind: 'counted', id: 0, results: [{ count: 1, resetMs: 10 }, { count: 2, resetMs: 20 }] }); // prettier-ignore
    expect(await Promise.all([...counted, later])).to.deep.equal([
      { count: 1, resetMs: 10 },
      { count: 2, resetMs: 20 },
      { count: 3, resetMs: 30 },
    ]);
  });

  it('stops, and counts no more, where the primary is gone', async () => {
    const channel = new FakeChannel();
    const link = new WorkerLink(channel);
    const failure = (counted: Promise<unknown>): Promise<string> => counted.then(() => 'counted', (error: { code: string }) => error.code); // prettier-ignore
    const sent = failure(link.counterOf(POLICY).add('a', 1));
    await turn();
    const unsent = failure(link.counterOf(POLICY).add('a', 1));
    channel.emit('disconnect');
    await link.stopped;
    const late = failure(link.counterOf(POLICY).add('a', 1));
    expect(await Promise.all([sent, unsent, late])).to.deep.equal(Array(3).fill('service.not_ready'));
  });

  it('passes on what the primary says, to each that listens', async () => {
    const channel = new FakeChannel();
    const link = new WorkerLink(channel);
    const heard: ToWorker[] = [];
    for (let i = 0; i < 2; i++) link.on('forget', (message) => heard.push(message));
    for (const kind of ['stopping', 'metrics', 'valid'] as const) link.on(kind, (message) => heard.push(message));
    const said: ToWorker[] = [{ kind: 'forget', accountId: 'a' }, { kind: 'metrics', id: 4 }, { kind: 'valid', digests: ['c', 'd'] }, { kind: 'stopping' }]; // prettier-ignore
    for (const message of said) channel.say(message);
    expect(heard).to.deep.equal([said[0], ...said]);
    channel.say({ kind: 'ping' });
    expect(channel.sent).to.deep.equal([{ kind: 'pong' }]);
    channel.say({ kind: 'stop' });
    await link.stopped;
  });
});
