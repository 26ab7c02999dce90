import { expect } from 'chai';
import { compareDurations } from '../../../src/core/compareDurations.ts';
import { FakeClock } from '../../support/FakeClock.ts';

describe('compareDurations', () => {
  it('runs all functions in each round and returns the lower quartile of each, regardless of a stall', () => {
    const clock = new FakeClock();
    const order: string[] = [];
    const side = (name: string, timesMs: number[]) => () => {
      order.push(name);
      clock.advance(timesMs.shift()!);
    };
    const times = compareDurations({ a: side('a', [9, 1000, 3, 2]), b: side('b', [5, 5, 5, 4000]) }, 4, clock);
    expect(times).to.deep.equal({ a: 3, b: 5 });
    expect(order.join('')).to.equal('abababab');
  });
});
