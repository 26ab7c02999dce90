import { expect } from 'chai';
import { ServiceError } from '../../../src/core/ServiceError.ts';
import { ForecastGate, type Arrival } from '../../../src/http/ForecastGate.ts';
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

function openGate({ maxWaiting = 100, deadlineMs = 2000 } = {}) {
  const clock = new FakeClock();
  const loopDelay = { delayMs: 0 };
  const gate = new ForecastGate({ clock, loopDelay, maxWaiting, deadlineMs });
  const order: string[] = [];
  const ask = (name: string, arrival: Partial<Arrival> = {}): Outcome => {
    const outcome: Outcome = { state: 'waits' };
    const signal = new Caller() as unknown as Arrival['signal'];
    gate.enter({ owner: name, deadlineMs: Infinity, signal, bytes: 1000, ...arrival }).then(
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

describe('ForecastGate', () => {
  it('lets 64 work at once, 8 of them begin in one turn of the event loop, and another for each that leaves', async () => {
    const { gate, order, ask, settle } = openGate();
    for (let i = 0; i < AT_WORK + 3; i++) ask(`${i}`);
    await Promise.resolve();
    expect(order).to.have.lengthOf(8);
    await turn();
    expect(order).to.have.lengthOf(16);
    await settle();
    expect([order.length, gate.waiting]).to.deep.equal([AT_WORK, 3]);
    gate.leave();
    gate.leave();
    await settle();
    expect([order.length, gate.waiting]).to.deep.equal([AT_WORK + 2, 1]);
  });

  it('lets keys in by turns', async () => {
    const { gate, order, ask, settle, fill } = openGate();
    await fill();
    for (const owner of ['a', 'a', 'a', 'b', 'c']) ask(owner);
    for (let i = 0; i < 5; i++) gate.leave();
    await settle();
    expect(order).to.deep.equal(['a', 'b', 'c', 'a', 'a']);
  });

  it('refuses where the line is full, by number or by bytes, also before a body is read', async () => {
    const { gate, ask, fill } = openGate({ maxWaiting: 2 });
    await fill();
    gate.checkOpen();
    const large = ask('b', { bytes: 64 * 1024 * 1024 });
    const more = ask('c', { bytes: 1 });
    await turn();
    expect([large.state, more.state]).to.deep.equal(['waits', 'inference.overloaded']);
    ask('d', { bytes: 0 });
    const third = ask('e', { bytes: 0 });
    await turn();
    expect(third.state).to.equal('inference.overloaded');
    expect(() => gate.checkOpen()).to.throw(ServiceError, 'The service is busy: 2 forecasts wait already.');
  });

  it('refuses whom the line would make late, by what a forecast took while others waited', async () => {
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

  it('answers 504 to whose time passes in the line, and forgets who goes away', async () => {
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
    expect(gate.waiting).to.equal(0);
    caller.leave();
  });

  it('is closed where four turns of the event loop would be too long, and says when to try again', () => {
    const { gate, loopDelay } = openGate();
    for (const [delayMs, seconds] of [
      [501, '3'],
      [1300, '6'],
    ] as const) {
      loopDelay.delayMs = delayMs;
      expect(() => gate.checkOpen())
        .to.throw(ServiceError, 'longer than it may')
        .with.deep.property('headers', { 'Retry-After': seconds });
    }
    loopDelay.delayMs = 500;
    gate.checkOpen();
  });

  it('refuses without a stack, whose making costs a third of a refusal', () => {
    const { gate, loopDelay } = openGate();
    loopDelay.delayMs = 1000;
    try {
      gate.checkOpen();
      expect.fail('it is open');
    } catch (error) {
      expect((error as Error).stack).to.not.include('\n    at ');
    }
    expect(new ServiceError('inference.failed', 'x').stack).to.include('\n    at ');
  });
});
