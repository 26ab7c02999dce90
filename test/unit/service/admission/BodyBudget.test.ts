import { expect } from 'chai';
import type { ServiceError } from '../../../../src/core/ServiceError.ts';
import { BodyBudget, type CountedBody } from '../../../../src/service/admission/BodyBudget.ts';
import { FakeClock } from '../../../support/FakeClock.ts';

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

  const products: [what: string, first: number, second: number, growing: string, dropped: 'first' | 'second' | 'growing'][] = [
    ['9 MiB for 300 ms are more than 15 MiB for 100 ms', 9, 15, 'b', 'first'],
    ['20 MiB for 100 ms are more than 4 MiB for 300 ms', 4, 20, 'b', 'second'],
    ['also of the body that grows: it has the largest', 3, 3, 'a', 'growing'],
    ['also of the body that grows: it has a smaller one', 12, 3, 'a', 'first'],
  ];
  for (const [what, firstMib, secondMib, account, dropped] of products)
    it(`compares the products of memory and time within an account: ${what}`, () => {
      const { clock, open, grow, codeOf } = openBudget();
      const first = open('a', 'here', firstMib);
      clock.advance(200);
      const second = open('a', 'here', secondMib);
      clock.advance(100);
      const growing = open(account, 'there');
      clock.advance(account === 'a' ? 50 : 0);
      grow(growing, account === 'a' ? 33 - firstMib - secondMib : 21);
      const names = Object.entries({ first, second, growing }).filter(([, body]) => codeOf(body) !== undefined);
      expect(names.map(([name]) => name)).to.deep.equal([dropped]);
    });

  it('drops no body of an account with fewer bytes, however large its product of memory and time', () => {
    const { clock, open, grow, codeOf } = openBudget();
    const bodies = [open('a', 'here', 12), open('a', 'here', 11), open('c', 'elsewhere', 14)];
    clock.advance(1000);
    bodies.push(open('b', 'there'));
    grow(bodies[3], 14);
    expect(bodies.map(codeOf)).to.deep.equal(['limit.exceeded', undefined, undefined, undefined]);
  });

  it('drops as many bodies as one chunk needs, but at most 7 and then that of the chunk', () => {
    for (const [mib, dropped, isDroppedItself] of [
      [18, 2, false],
      [20, 6, false],
      [20.5, 7, false],
      [21, 7, true],
    ] as const) {
      const { budget, open, codeOf } = openBudget();
      const bodies = Array.from({ length: 30 }, () => open('a', 'here', 1));
      const chunk = open('b', 'there');
      budget.grow(chunk, mib * MIB - 512);
      expect(
        bodies.filter((body) => codeOf(body) !== undefined),
        `${mib} MiB`,
      ).to.have.length(dropped);
      expect(codeOf(chunk) !== undefined, `${mib} MiB`).to.equal(isDroppedItself);
    }
  });

  it('counts the bodies of an account also after one of them was released twice', () => {
    const { clock, budget, open, codeOf } = openBudget();
    const [twice, kept] = [open('a', 'here', 1), open('a', 'here', 20)];
    budget.arrived(kept);
    for (let i = 0; i < 2; i++) budget.release(twice);
    clock.advance(5000);
    expect(codeOf(open('a', 'here', 12))).to.equal(undefined);
    expect(codeOf(open('a', 'here', 1))).to.equal('limit.exceeded');
  });

  it('plans no check while there is no body, and remembers no account', () => {
    const { clock, budget, open } = openBudget();
    let planned = 0;
    const after = clock.after.bind(clock);
    clock.after = (delayMs, run) => (planned++, after(delayMs, run));
    for (let round = 1; round <= 3; round++) {
      const bodies = ['a', 'a', 'b'].map((account) => open(account, 'here', 1));
      expect(planned).to.equal(2 * round - 1);
      clock.advance(5000);
      expect(planned, 'bodies are arriving').to.equal(2 * round);
      for (const body of bodies) budget.release(body);
      for (let i = 0; i < 3; i++) clock.advance(5000);
      expect(planned, 'none is left').to.equal(2 * round);
    }
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

    it('is 1024 bytes per second over 5 s, whenever other bodies are opened', () => {
      for (const [bytes, code] of [
        [5 * KIB, undefined],
        [5 * KIB - 1, 'request.timeout'],
      ] as const) {
        const { clock, budget, open, codeOf } = openBudget();
        const body = open('a');
        for (let i = 0; i < 4; i++) {
          clock.advance(1000);
          open(`${i}`);
        }
        clock.advance(1000);
        budget.grow(body, bytes);
        for (let i = 0; i < 5; i++) clock.advance(1000);
        expect(codeOf(body), `${bytes} bytes`).to.equal(code);
      }
    });

    it('holds also after a time without bodies', () => {
      const { clock, budget, open, codeOf } = openBudget();
      budget.release(open('a'));
      for (let i = 0; i < 3; i++) clock.advance(5000);
      const stalled = open('a');
      for (let i = 0; i < 2; i++) clock.advance(5000);
      expect(codeOf(stalled)).to.equal('request.timeout');
    });

    it('holds if a check is up to a second late', () => {
      for (const [lateMs, code] of [
        [1000, 'request.timeout'],
        [1001, undefined],
      ] as const) {
        const { clock, open, codeOf } = openBudget();
        const body = open('a');
        clock.advance(5000);
        clock.advance(5000 + lateMs);
        expect(codeOf(body), `${lateMs} ms`).to.equal(code);
      }
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
