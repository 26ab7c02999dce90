import { expect } from 'chai';
import type { ServiceError } from '../../../src/core/ServiceError.ts';
import { BodyBudget, type CountedBody } from '../../../src/admission/BodyBudget.ts';
import { FakeClock } from '../../support/FakeClock.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
/** With the 512 bytes that count for each chunk, 1 MiB. */
const CHUNK = MIB - 512;

function openBudget(mostMib = 64) {
  const clock = new FakeClock();
  const budget = new BodyBudget(clock, mostMib * MIB);
  const dropped = new Map<CountedBody, ServiceError>();
  const open = (account: string, address = `address of ${account}`, mib = 0): CountedBody => {
    const body = budget.open(account, address);
    body.drop = (error) => dropped.set(body, error);
    grow(body, mib);
    return body;
  };
  const grow = (body: CountedBody, mib: number): void => {
    for (let i = 0; i < mib && !dropped.has(body); i++) budget.grow(body, CHUNK);
  };
  const codeOf = (body: CountedBody): string | undefined => dropped.get(body)?.code;
  return { clock, budget, open, grow, codeOf };
}

describe('BodyBudget', () => {
  it('lets one account use half, and says when to retry', () => {
    const { budget, open, grow, codeOf } = openBudget();
    const body = open('a', 'here', 32);
    expect(codeOf(body)).to.equal(undefined);
    let thrown: ServiceError | undefined;
    body.drop = (error) => (thrown = error);
    grow(body, 1);
    expect(thrown).to.deep.include({ code: 'limit.exceeded', headers: { 'Retry-After': '1' } });
    budget.release(body);
    expect(codeOf(open('a', 'here', 32))).to.equal(undefined);
  });

  it('counts received bytes, not the declared length, and returns them when a body is released', () => {
    const { budget, open, codeOf } = openBudget();
    for (let i = 0; i < 1000; i++) open('a');
    for (let i = 0; i < 100; i++) {
      const body = open('b', 'there', 30);
      expect(codeOf(body)).to.equal(undefined);
      budget.arrived(body);
      budget.release(body);
      budget.release(body);
    }
  });

  it('lets each of several accounts use as many bytes as are free, so that some memory stays free', () => {
    const { open, grow, codeOf } = openBudget();
    const [a, b] = [open('a'), open('b')];
    for (let i = 0; i < 21; i++) for (const body of [a, b]) grow(body, 1);
    expect([codeOf(a), codeOf(b)]).to.deep.equal([undefined, undefined]);
    expect(codeOf(open('c', 'there', 10))).to.equal(undefined);
  });

  it('gives an address twice as much as an account, however many accounts use it', () => {
    const { open, codeOf } = openBudget();
    const bodies = Array.from({ length: 50 }, (_, i) => open(`${i}`, 'here', 1));
    const kept = bodies.filter((body) => codeOf(body) === undefined);
    expect(kept).to.have.lengthOf(42);
    expect(codeOf(open('x', 'there', 15))).to.equal(undefined);
  });

  it('drops a body of the account with the most bytes: the one with the largest product of memory and time', () => {
    const { clock, open, grow, codeOf } = openBudget();
    const old = open('a', 'here', 10);
    clock.advance(1000);
    const recent = open('a', 'here', 12);
    const other = open('b', 'here');
    clock.advance(100);
    grow(other, 15);
    expect([codeOf(other), codeOf(recent), codeOf(old)]).to.deep.equal([undefined, undefined, undefined]);
    grow(other, 6);
    expect([codeOf(other), codeOf(recent), codeOf(old)]).to.deep.equal([undefined, undefined, 'limit.exceeded']);
  });

  it('never drops a body that has arrived', () => {
    const { budget, open, codeOf } = openBudget();
    const arrived = [open('a', 'here', 16), open('a', 'here', 16)];
    for (const body of arrived) budget.arrived(body);
    const next = open('a', 'here', 1);
    expect(codeOf(next)).to.equal('limit.exceeded');
    expect(arrived.map(codeOf)).to.deep.equal([undefined, undefined]);
  });

  it('counts 512 extra bytes for each chunk', () => {
    const { budget, open, codeOf } = openBudget(1);
    const body = open('a');
    for (let i = 0; i < 1020; i++) budget.grow(body, 1);
    expect(codeOf(body)).to.equal(undefined);
    for (let i = 0; i < 10; i++) budget.grow(body, 1);
    expect(codeOf(body)).to.equal('limit.exceeded');
  });

  describe('minimum rate', () => {
    /** Sends for 30 s. Returns the seconds until the body was dropped. */
    function droppedAfterMs(chunkBytes: number, everyMs: number): number | undefined {
      const { clock, budget, open, codeOf } = openBudget();
      const body = open('a');
      for (let ms = 0; ms < 30_000; ms += everyMs) {
        budget.grow(body, chunkBytes);
        clock.advance(everyMs);
        if (codeOf(body) === undefined) continue;
        expect(codeOf(body)).to.equal('request.timeout');
        return ms + everyMs;
      }
      return undefined;
    }

    it('keeps an uplink of 64 kbit/s and one of 2 kB/s', () => {
      expect(droppedAfterMs(1400, 175)).to.equal(undefined);
      expect(droppedAfterMs(1000, 500)).to.equal(undefined);
    });

    it('drops a body that sends a byte every 100 ms within 10 s', () => {
      expect(droppedAfterMs(1, 100)).to.equal(10_000);
    });

    it('drops a body that stops after a fast start, but not one that has arrived', () => {
      const { clock, budget, open, codeOf } = openBudget();
      const [stalled, arrived] = [open('a', 'here', 8), open('b', 'here', 8)];
      budget.arrived(arrived);
      for (let i = 0; i < 4; i++) clock.advance(5000);
      expect([codeOf(stalled), codeOf(arrived)]).to.deep.equal(['request.timeout', undefined]);
    });

    it('ignores the time of a pause of the process', () => {
      const { clock, budget, open, codeOf } = openBudget();
      const body = open('a');
      clock.advance(5000);
      clock.advance(20_000);
      expect(codeOf(body)).to.equal(undefined);
      budget.grow(body, 10 * KIB);
      clock.advance(5000);
      expect(codeOf(body)).to.equal(undefined);
    });
  });
});
