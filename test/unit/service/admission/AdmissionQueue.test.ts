import { expect } from 'chai';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { AdmissionQueue, overloaded, type AdmissionRequest } from '../../../../src/service/admission/AdmissionQueue.ts';
import { FakeClock } from '../../../support/FakeClock.ts';

const IN_FLIGHT = 64;
const nextIteration = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A caller that disconnects when the test says so. */
class Caller {
  aborted = false;
  readonly reason = new Error('gone');
  readonly listeners = new Set<() => void>();

  addEventListener(type: 'abort', listener: () => void): void {
    if (type === 'abort') this.listeners.add(listener);
  }

  removeEventListener(type: 'abort', listener: () => void): void {
    if (type === 'abort') this.listeners.delete(listener);
  }

  leave(): void {
    for (const listener of this.listeners) listener();
  }
}

type Outcome = { state: string };

function openQueue({ maxQueued = 100, deadlineMs = 2000 } = {}) {
  const clock = new FakeClock();
  const loopDelay = { delayMs: 0, steadyMs: 0 };
  const queue = new AdmissionQueue({ clock, loopDelay, maxInFlight: IN_FLIGHT, maxQueued, deadlineMs });
  const order: string[] = [];
  const ask = (name: string, arrival: Partial<AdmissionRequest> = {}): Outcome => {
    const outcome: Outcome = { state: 'queued' };
    const signal = new Caller() as unknown as AdmissionRequest['signal'];
    queue.enter({ owner: name, deadlineMs: Infinity, signal, ...arrival }).then(
      () => {
        outcome.state = 'in';
        order.push(name);
      },
      (error: Error) => (outcome.state = error instanceof ServiceError ? error.code : error.message),
    );
    return outcome;
  };
  /** Runs the event loop until no more forecasts start. */
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) await nextIteration();
  };
  const fill = async (): Promise<void> => {
    for (let i = 0; i < IN_FLIGHT; i++) ask('load');
    await settle();
    expect(order.splice(0)).to.have.lengthOf(IN_FLIGHT);
  };
  return { queue, clock, loopDelay, order, ask, settle, fill };
}

describe('AdmissionQueue', () => {
  it('has as many in flight as it may, and starts another for each that leaves', async () => {
    const { queue, order, ask, settle } = openQueue();
    for (let i = 0; i < IN_FLIGHT + 3; i++) ask(`${i}`);
    await Promise.resolve();
    expect([order.length, queue.queued]).to.deep.equal([IN_FLIGHT, 3]);
    queue.leave();
    queue.leave();
    await settle();
    expect([order.length, queue.queued]).to.deep.equal([IN_FLIGHT + 2, 1]);
  });

  it('answers what is queued at its deadline, even if nothing ever leaves', async () => {
    const { queue, clock, ask, settle, fill } = openQueue();
    await fill();
    const [first, second] = [ask('a', { deadlineMs: clock.monotonicMs() + 100 }), ask('a', { deadlineMs: clock.monotonicMs() + 200 })];
    clock.advance(100);
    await settle();
    expect([first.state, second.state, queue.queued]).to.deep.equal(['inference.deadline', 'queued', 1]);
    queue.leave();
    await settle();
    clock.advance(100);
    await settle();
    expect([second.state, queue.queued]).to.deep.equal(['in', 0]);
  });

  it('serves keys round-robin', async () => {
    const { queue, order, ask, settle, fill } = openQueue();
    await fill();
    for (const owner of ['a', 'a', 'a', 'b', 'c']) ask(owner);
    for (let i = 0; i < 5; i++) queue.leave();
    await settle();
    expect(order).to.deep.equal(['a', 'b', 'c', 'a', 'a']);
  });

  it('refuses if the queue is full, also before a body is read', async () => {
    const { queue, ask, fill } = openQueue({ maxQueued: 2 });
    await fill();
    expect(queue.refusalFor('e')).to.equal(undefined);
    ask('b');
    ask('d');
    const third = ask('d');
    await nextIteration();
    expect(third.state).to.equal('inference.overloaded');
    expect(queue.refusalFor('b')).to.deep.equal({ detail: 'The service is busy: 2 forecasts are queued already.', retryAfterS: 1 });
  });

  it('admits an owner below its fraction of a full queue, until twice as many are queued', async () => {
    const { queue, ask, fill } = openQueue({ maxQueued: 4 });
    await fill();
    for (let i = 0; i < 4; i++) ask('a');
    const more = ask('a');
    const others = ['b', 'c', 'd', 'e'].map((owner) => ask(owner));
    const last = ask('f');
    await nextIteration();
    expect([more.state, last.state]).to.deep.equal(['inference.overloaded', 'inference.overloaded']);
    expect(others.map(({ state }) => state)).to.deep.equal(Array(4).fill('queued'));
    expect(queue.refusalFor('f')).to.include({ detail: 'The service is busy: 8 forecasts are queued already.' });
  });

  it('shrinks after an item waited 250 ms, and grows again after a second without a refusal', async () => {
    const { queue, clock, ask, settle, fill } = openQueue();
    const leave = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) queue.leave();
      await settle();
    };
    await fill();
    for (let i = 0; i < 60; i++) ask('a');
    clock.advance(250);
    await leave(1);
    expect(queue.refusalFor('a')).to.equal(undefined);
    clock.advance(1);
    await leave(1);
    expect(queue.refusalFor('a')).to.include({ detail: 'The service is busy: 58 forecasts are queued already.' });
    await leave(27);
    expect([queue.queued, queue.refusalFor('a')]).to.deep.equal([31, undefined]);
    const last = ask('a');
    expect(queue.refusalFor('a')).to.not.equal(undefined);
    await leave(32);
    expect([queue.queued, last.state]).to.deep.equal([0, 'in']);
    clock.advance(900);
    for (let i = 0; i < 32; i++) ask('a');
    expect(queue.refusalFor('a')).to.not.equal(undefined);
    await leave(32);
    clock.advance(1001);
    for (let i = 0; i < 60; i++) ask('a');
    expect(queue.refusalFor('a')).to.equal(undefined);
  });

  it('refuses forecasts that would be late, from the time per forecast while others were queued', async () => {
    const { queue, clock, ask, settle, fill } = openQueue();
    await fill();
    const line = Array.from({ length: 60 }, () => ask('a'));
    for (let i = 0; i < 60; i++) {
      clock.advance(10);
      queue.leave();
    }
    await settle();
    expect(line.every(({ state }) => state === 'in')).to.equal(true);
    // 64 are in flight, at about 10 ms each.
    const [soon, late] = [ask('a', { deadlineMs: clock.monotonicMs() + 300 }), ask('a', { deadlineMs: clock.monotonicMs() + 3000 })];
    await nextIteration();
    expect([soon.state, late.state]).to.deep.equal(['inference.overloaded', 'queued']);
  });

  it('reports before a body is read that the queue and the delay of the event loop would make a forecast late', async () => {
    const { queue, clock, loopDelay, ask, settle, fill } = openQueue({ deadlineMs: 1500 });
    await fill();
    for (let i = 0; i < 60; i++) ask('a');
    for (let i = 0; i < 60; i++) {
      clock.advance(20);
      queue.leave();
    }
    await settle();
    ask('a');
    // About 65 are ahead of it, at about 20 ms each.
    expect(queue.refusalFor('a')).to.equal(undefined);
    loopDelay.delayMs = 300;
    const { detail, retryAfterS } = queue.refusalFor('a') ?? { detail: '', retryAfterS: 0 };
    expect(detail).to.match(/^The service is busy: the answer would take 1[56]\d\d ms, longer than the time limit\.$/);
    expect(retryAfterS).to.equal(2);
    for (let i = 0; i < IN_FLIGHT; i++) queue.leave();
    await settle();
    expect(queue.refusalFor('a'), 'slots are free').to.equal(undefined);
  });

  it('answers 504 if the deadline passes in the queue, and drops callers that disconnect', async () => {
    const { queue, clock, ask, settle, fill } = openQueue();
    await fill();
    const caller = new Caller();
    const gone = ask('a', { signal: caller as unknown as AdmissionRequest['signal'] });
    const late = ask('b', { deadlineMs: clock.monotonicMs() + 50 });
    const next = ask('c');
    caller.leave();
    clock.advance(60);
    queue.leave();
    await settle();
    expect([gone.state, late.state, next.state]).to.deep.equal(['gone', 'inference.deadline', 'in']);
    expect(queue.queued).to.equal(0);
    caller.leave();
  });

  it('starts a forecast up to a millisecond before its deadline, and none at it', async () => {
    const { queue, clock, ask, settle, fill } = openQueue();
    await fill();
    const [at, before] = [50, 51].map((afterMs) => ask('a', { deadlineMs: clock.monotonicMs() + afterMs }));
    clock.advance(50);
    queue.leave();
    await settle();
    expect([at?.state, before?.state]).to.deep.equal(['inference.deadline', 'in']);
  });

  it('refuses if four iterations of the event loop would take too long, and says when to retry', () => {
    const { queue, loopDelay } = openQueue();
    for (const [delayMs, seconds] of [
      [501, 3],
      [1300, 6],
    ] as const) {
      loopDelay.delayMs = loopDelay.steadyMs = delayMs;
      const refusal = queue.refusalFor('a');
      expect(refusal?.detail).to.include('longer than the time limit');
      expect(refusal?.retryAfterS).to.equal(seconds);
    }
    loopDelay.delayMs = loopDelay.steadyMs = 500;
    expect(queue.refusalFor('a')).to.equal(undefined);
  });

  it('refuses nothing after one block that leaves time for the answer', () => {
    const { queue, loopDelay } = openQueue();
    loopDelay.delayMs = 1900;
    expect([queue.isBusy, queue.refusalFor('a')]).to.deep.equal([false, undefined]);
    loopDelay.delayMs = 2001;
    expect(queue.refusalFor('a')?.detail).to.include('longer than the time limit');
  });

  it('is busy while a forecast is queued, no slot is free or the event loop is too slow', async () => {
    const { queue, loopDelay, ask, settle, fill } = openQueue({ maxQueued: 1 });
    const state = () => [queue.isBusy, queue.refusalFor('a') !== undefined];
    expect(state()).to.deep.equal([false, false]);
    loopDelay.delayMs = 2000;
    expect(state(), 'as long as the time limit').to.deep.equal([false, false]);
    loopDelay.delayMs = 2001;
    expect(state()).to.deep.equal([true, true]);
    loopDelay.delayMs = 0;
    await fill();
    expect(state(), 'all in flight').to.deep.equal([true, false]);
    loopDelay.delayMs = 2000;
    expect(state(), 'as long as the time limit').to.deep.equal([true, false]);
    loopDelay.delayMs = 0;
    for (const owner of ['a', 'b']) ask(owner);
    queue.leave();
    expect([queue.isBusy, queue.queued, queue.refusalFor('a') !== undefined], 'a slot is free, but two are queued').to.deep.equal([
      true,
      2,
      true,
    ]);
    await settle();
    expect(state(), 'one is queued, but by another owner').to.deep.equal([true, false]);
    for (let i = 0; i < 3; i++) queue.leave();
    await settle();
    expect(state(), 'slots are free').to.deep.equal([false, false]);
  });

  it('lets no forecast overtake queued ones, and frees no more slots than forecasts left', async () => {
    const { queue, order, ask, settle, fill } = openQueue();
    await fill();
    ask('first');
    for (let i = 0; i < 3; i++) queue.leave();
    ask('second');
    await Promise.resolve();
    expect(order).to.deep.equal([]);
    await settle();
    expect(order).to.deep.equal(['first', 'second']);
    for (const owner of ['third', 'fourth']) ask(owner);
    await settle();
    expect([order.at(-1), queue.queued]).to.deep.equal(['third', 1]);
  });

  it('queues a forecast whose deadline is not before the time at which it is expected, and listens to its caller only until then', async () => {
    const { queue, clock, ask, settle, fill } = openQueue();
    await fill();
    const caller = new Caller();
    const signal = caller as unknown as AdmissionRequest['signal'];
    const states = [-1, 0, 1].map((ms) => ask('a', { deadlineMs: clock.monotonicMs() + ms, signal }));
    await nextIteration();
    expect(states.map(({ state }) => state)).to.deep.equal(['inference.overloaded', 'queued', 'queued']);
    expect(caller.listeners.size).to.equal(2);
    queue.leave();
    await settle();
    expect(states.map(({ state }) => state)).to.deep.equal(['inference.overloaded', 'inference.deadline', 'in']);
    expect(caller.listeners.size).to.equal(0);
  });

  it('measures the time per forecast only while others are queued', async () => {
    const { queue, clock, ask, settle, fill } = openQueue();
    await fill();
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 2; i++) ask('a');
      for (let i = 0; i < 3; i++) {
        clock.advance(10);
        queue.leave();
        await settle();
      }
      // Nothing is asked for an hour.
      clock.advance(3_600_000);
      ask('a');
    }
    expect(queue.refusalFor('a')).to.equal(undefined);
    const soon = ask('a', { deadlineMs: clock.monotonicMs() + 1000 });
    await nextIteration();
    expect(soon.state).to.equal('queued');
  });

  it('limits no owner to a fraction of a queue that is not full', async () => {
    const { queue, ask, fill } = openQueue({ maxQueued: 4 });
    await fill();
    for (const owner of ['a', 'a', 'b']) ask(owner);
    expect(queue.refusalFor('a')).to.equal(undefined);
  });

  it('does not shrink because it refused, and stays small for a second after each refusal while it is small', async () => {
    const { queue, clock, ask, settle, fill } = openQueue({ deadlineMs: 10_000 });
    const leave = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) queue.leave();
      await settle();
    };
    await fill();
    for (let i = 0; i < 100; i++) ask('a');
    expect(queue.refusalFor('a')).to.not.equal(undefined);
    await leave(1);
    expect(queue.refusalFor('a'), '99 are queued').to.equal(undefined);
    clock.advance(251);
    await leave(1);
    // Small from here on.
    for (const afterMs of [900, 900, 999]) {
      clock.advance(afterMs);
      expect(queue.refusalFor('a')).to.not.equal(undefined);
    }
    clock.advance(1000);
    expect(queue.refusalFor('a')).to.equal(undefined);
  });

  it('refuses without a stack trace, which would be a third of the cost', () => {
    const error = overloaded({ detail: 'The service is busy.', retryAfterS: 7 });
    expect(error.stack).to.not.include('\n    at ');
    expect(error).to.deep.include({ code: 'inference.overloaded', headers: { 'Retry-After': '7' } });
    expect(new ServiceError('inference.failed', 'x').stack).to.include('\n    at ');
  });
});
