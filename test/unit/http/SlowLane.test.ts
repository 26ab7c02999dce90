import { expect } from 'chai';
import { SlowLane } from '../../../src/http/SlowLane.ts';

describe('SlowLane', () => {
  it('lets one go on in each turn of the event loop, in order, and others in between', async () => {
    const lane = new SlowLane();
    const seen: string[] = [];
    const slow = Array.from({ length: 4 }, (_, i) => lane.enter().then(() => seen.push(`slow ${i}`)));
    let turns = 0;
    const turn = (): void => {
      seen.push(`turn ${turns++}`);
      if (turns < 4) setImmediate(turn);
    };
    setImmediate(turn);
    await Promise.all(slow);
    expect(seen).to.deep.equal(['slow 0', 'turn 0', 'slow 1', 'turn 1', 'slow 2', 'turn 2', 'slow 3']);
  });

  it('goes on after it was empty', async () => {
    const lane = new SlowLane();
    await lane.enter();
    await lane.enter();
    await Promise.all([lane.enter(), lane.enter()]);
  });
});
