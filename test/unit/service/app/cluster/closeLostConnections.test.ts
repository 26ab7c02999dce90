import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { closeLostConnections } from '../../../../../src/service/app/cluster/startFleet.ts';
import { FakeClock } from '../../../../support/FakeClock.ts';

/** A worker process that the cluster module of Node.js hands connections to; `answers` are what that module is told. */
function fakeWorker(): { worker: ChildProcess; clock: FakeClock; answers: number[]; hand: (seq: number) => void } {
  const worker = Object.assign(new EventEmitter(), { send: () => true }) as unknown as ChildProcess;
  const clock = new FakeClock();
  const answers: number[] = [];
  closeLostConnections(worker, clock);
  worker.on('internalMessage', ({ ack, accepted }: { ack: number; accepted: boolean }) => void (accepted && answers.push(ack)));
  return { worker, clock, answers, hand: (seq) => void worker.send({ cmd: 'NODE_CLUSTER', act: 'newconn', seq } as never) };
}

describe('connections that a worker is given', () => {
  it('are let go of when the worker ends before it accepts them', () => {
    const { worker, answers, hand } = fakeWorker();
    for (const seq of [1, 2, 3]) hand(seq);
    worker.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: 2, accepted: true });
    worker.emit('exit', null, 'SIGKILL');
    expect(answers).to.deep.equal([2, 1, 3]);
  });

  it('are let go of after five seconds without an answer, once, and those that are accepted are left alone', () => {
    const { worker, clock, answers, hand } = fakeWorker();
    hand(1);
    clock.advance(4000);
    hand(2);
    worker.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: 2, accepted: true });
    clock.advance(1000);
    expect(answers).to.deep.equal([2, 1]);
    clock.advance(60_000);
    worker.emit('exit', 0, null);
    expect(answers).to.deep.equal([2, 1]);
  });

  it('are not watched where the worker could not be spawned', () => {
    expect(() => closeLostConnections(new EventEmitter() as ChildProcess, new FakeClock())).not.to.throw();
  });
});
