import { expect } from 'chai';
import { LoopDelay } from '../../../../src/service/http/LoopDelay.ts';
import { FakeClock } from '../../../support/FakeClock.ts';

describe('LoopDelay', () => {
  it('is the largest delay of the last three timers, and 0 again after three timers on time', () => {
    const clock = new FakeClock();
    const loop = new LoopDelay(clock);
    expect(loop.delayMs).to.equal(0);
    clock.advance(520);
    expect(loop.delayMs).to.equal(500);
    for (const expected of [500, 500, 0]) {
      clock.advance(20);
      expect(loop.delayMs).to.equal(expected);
    }
    loop.close();
    clock.advance(900);
    expect(loop.delayMs).to.equal(0);
  });

  it('is steady once each of the last three timers was late, and not after one block', () => {
    const clock = new FakeClock();
    const loop = new LoopDelay(clock);
    for (const expected of [0, 0, 300]) {
      expect(loop.steadyMs).to.equal(0);
      clock.advance(320);
      expect(loop.steadyMs).to.equal(expected);
    }
    clock.advance(20);
    expect([loop.delayMs, loop.steadyMs]).to.deep.equal([300, 0]);
    loop.close();
  });
});
