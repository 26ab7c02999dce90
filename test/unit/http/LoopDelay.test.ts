import { expect } from 'chai';
import { LoopDelay } from '../../../src/http/LoopDelay.ts';
import { FakeClock } from '../../support/FakeClock.ts';

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
});
