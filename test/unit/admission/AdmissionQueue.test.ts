import { expect } from 'chai';
import { ServiceError } from '../../../src/core/ServiceError.ts';
import { AdmissionQueue, overloaded, type Arrival } from '../../../src/admission/AdmissionQueue.ts';
import { FakeClock } from '../../support/FakeClock.ts';

const AT_WORK = 64;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A caller who goes away when the test says so. */
class Caller {
  aborted = false;
  readonly reason = new Error('gone');
  readonly listeners = new Set<() => void>();

  addEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.delete(listener);
  }

  leave(): void {
    for (const listener of this.listeners) listener();
  }
}

type Outcome = { state: string };

function openGate({ maxQueued = 100, deadlineMs = 2000 } = {}) {
  const clock = new FakeClock();
  const loopDelay = { delayMs: 0 };
  const gate = new AdmissionQueue({ clock, loopDelay, maxQueued, deadlineMs });
  const order: string[] = [];
  const ask = (name: string, arrival: Partial<Arrival> = {}): Outcome => {
    const outcome: Outcome = { state: 'waits' };
    const signal = new Caller() as unknown as Arrival['signal'];
    gate.enter({ owner: name, deadlineMs: Infinity, signal, ...arrival }).then(
      () => {
        outcome.state = 'in';
        order.push(name);
      },
      (error: Error) => (outcome.state = error instanceof ServiceError ? error.code : error.message),
    );
    return outcome;
  };
  /** Until nobody may go in any more. */
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) await turn();
  };
  const fill = async (): Promise<void> => {
    for (let i = 0; i < AT_WORK; i++) ask('crowd');
    await settle();
    expect(order.splice(0)).to.have.lengthOf(AT_WORK);
  };
  return { gate, clock, loopDelay, order, ask, settle, fill };
}

describe('AdmissionQueue', () => {
  it('has 64 in flight, starts 8 of them per iteration of the event loop, and another for each that leaves', async () => {
    const { gate, order, ask, settle } = openGate();
    for (let i = 0; i < AT_WORK + 3; i++) ask(`${i}`);
    await Promise.resolve();
    expect(order).to.have.lengthOf(8);
    await turn();
    expect(order).to.have.lengthOf(16);
    await settle();
    expect([order.length, gate.queued]).to.deep.equal([AT_WORK, 3]);
    gate.leave();
    gate.leave();
    await settle();
    expect([order.length, gate.queued]).to.deep.equal([AT_WORK + 2, 1]);
  });

  it('serves keys round-robin', async () => {
    const { gate, order, ask, settle, fill } = openGate();
    await fill();
    for (const owner of ['a', 'a', 'a', 'b', 'c']) ask(owner);
    for (let i = 0; i < 5; i++) gate.leave();
    await settle();
    expect(order).to.deep.equal(['a', 'b', 'c', 'a', 'a']);
  });

  it('refuses where the queue is full, also before a body is read', async () => {
    const { gate, ask, fill } = openGate({ maxQueued: 2 });
    await fill();
    expect(gate.refusalFor('e')).to.equal(undefined);
    ask('b');
    ask('d');
    const third = ask('d');
    await turn();
    expect(third.state).to.equal('inference.overloaded');
    expect(gate.refusalFor('b')).to.deep.equal({ detail: 'The service is busy: 2 forecasts are queued already.', retryAfterS: 1 });
  });

  it('admits an owner below its fraction of a full queue, until twice as many are queued', async () => {
    const { gate, ask, fill } = openGate({ maxQueued: 4 });
    await fill();
    for (let i = 0; i < 4; i++) ask('a');
    const more = ask('a');
    const others = ['b', 'c', 'd', 'e'].map((owner) => ask(owner));
    const last = ask('f');
    await turn();
    expect([more.state, last.state]).to.deep.equal(['inference.overloaded', 'inference.overloaded']);
    expect(others.map(({ state }) => state)).to.deep.equal(Array(4).fill('waits'));
    expect(gate.refusalFor('f')).to.include({ detail: 'The service is busy: 8 forecasts are queued already.' });
  });

  it('is shorter after an item waited 250 ms, and long again after a second without a refusal', async () => {
    const { gate, clock, ask, settle, fill } = openGate();
    const leave = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) gate.leave();
      await settle();
    };
    await fill();
    for (let i = 0; i < 60; i++) ask('a');
    clock.advance(250);
    await leave(1);
    expect(gate.refusalFor('a')).to.equal(undefined);
    clock.advance(1);
    await leave(1);
    expect(gate.refusalFor('a')).to.include({ detail: 'The service is busy: 58 forecasts are queued already.' });
    await leave(27);
    expect([gate.queued, gate.refusalFor('a')]).to.deep.equal([31, undefined]);
    const last = ask('a');
    expect(gate.refusalFor('a')).to.not.equal(undefined);
    await leave(32);
    expect([gate.queued, last.state]).to.deep.equal([0, 'in']);
    clock.advance(900);
    for (let i = 0; i < 32; i++) ask('a');
    expect(gate.refusalFor('a')).to.not.equal(undefined);
    await leave(32);
    clock.advance(1001);
    for (let i = 0; i < 60; i++) ask('a');
    expect(gate.refusalFor('a')).to.equal(undefined);
  });

  it('starts more after a long iteration, by its duration', async () => {
    const { gate, clock, order, ask, settle } = openGate({ maxQueued: 1000 });
    for (let i = 0; i < 400; i++) ask('a');
    await Promise.resolve();
    expect(order).to.have.lengthOf(8);
    clock.advance(20);
    await turn();
    expect(order).to.have.lengthOf(8 + 40);
    await settle();
    expect(order).to.have.lengthOf(AT_WORK);
    gate.leave();
    clock.advance(1000);
    await turn();
    expect(order).to.have.lengthOf(AT_WORK + 256);
  });

  it('refuses what the queue would make late, by the time of a forecast while others were queued', async () => {
    const { gate, clock, ask, settle, fill } = openGate();
    await fill();
    const line = Array.from({ length: 60 }, () => ask('a'));
    for (let i = 0; i < 60; i++) {
      clock.advance(10);
      gate.leave();
    }
    await settle();
    expect(line.every(({ state }) => state === 'in')).to.equal(true);
    // 64 are at work, at some 10 ms each.
    const [soon, late] = [ask('a', { deadlineMs: clock.monotonicMs() + 300 }), ask('a', { deadlineMs: clock.monotonicMs() + 3000 })];
    await turn();
    expect([soon.state, late.state]).to.deep.equal(['inference.overloaded', 'waits']);
  });

  it('tells before a body is read what the queue and the delay of the event loop would make late', async () => {
    const { gate, clock, loopDelay, ask, settle, fill } = openGate({ deadlineMs: 1500 });
    await fill();
    for (let i = 0; i < 60; i++) ask('a');
    for (let i = 0; i < 60; i++) {
      clock.advance(20);
      gate.leave();
    }
    await settle();
    ask('a');
    // Some 65 are before it, at some 20 ms each.
    expect(gate.refusalFor('a')).to.equal(undefined);
    loopDelay.delayMs = 300;
    const { detail, retryAfterS } = gate.refusalFor('a') ?? { detail: '', retryAfterS: 0 };
    expect(detail).to.match(/^The service is busy: the answer would take 1[56]\d\d ms, longer than the time limit\.$/);
    expect(retryAfterS).to.equal(2);
  });

  it('answers 504 where the time passes in the queue, and forgets callers that leave', async () => {
    const { gate, clock, ask, settle, fill } = openGate();
    await fill();
    const caller = new Caller();
    const gone = ask('a', { signal: caller as unknown as Arrival['signal'] });
    const late = ask('b', { deadlineMs: clock.monotonicMs() + 50 });
    const next = ask('c');
    caller.leave();
    clock.advance(60);
    gate.leave();
    await settle();
    expect([gone.state, late.state, next.state]).to.deep.equal(['gone', 'inference.deadline', 'in']);
    expect(gate.queued).to.equal(0);
    caller.leave();
  });

  it('refuses where four iterations of the event loop would be too long, and says when to try again', () => {
    const { gate, loopDelay } = openGate();
    for (const [delayMs, seconds] of [
      [501, 3],
      [1300, 6],
    ] as const) {
      loopDelay.delayMs = delayMs;
      const refusal = gate.refusalFor('a');
      expect(refusal?.detail).to.include('longer than the time limit');
      expect(refusal?.retryAfterS).to.equal(seconds);
    }
    loopDelay.delayMs = 500;
    expect(gate.refusalFor('a')).to.equal(undefined);
  });

  it('refuses without a stack, whose making costs a third of a refusal', () => {
    const error = overloaded({ detail: 'The service is busy.', retryAfterS: 7 });
    expect(error.stack).to.not.include('\n    at ');
    expect(error).to.deep.include({ code: 'inference.overloaded', headers: { 'Retry-After': '7' } });
    expect(new ServiceError('inference.failed', 'x').stack).to.include('\n    at ');
  });
});
