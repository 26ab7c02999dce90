import { expect } from 'chai';
import { SeriesCloses } from '../../../src/ticks/SeriesCloses.ts';

const MINUTE_US = 60e6;

describe('SeriesCloses', () => {
  it('gives the last price of each minute before that of the first tick of a window', () => {
    const closes = new SeriesCloses();
    // Three ticks in each of the minutes 0, 1 and 3.
    for (const minute of [0, 1, 3]) for (const second of [0, 20, 59]) closes.push(minute * MINUTE_US + second * 1e6, 100 * minute + second);
    const pricesBefore = (us: number): number[] | undefined => closes.before(us)?.prices && [...closes.before(us)!.prices];
    expect(pricesBefore(0)).to.equal(undefined);
    expect(pricesBefore(MINUTE_US - 1)).to.equal(undefined);
    expect(pricesBefore(MINUTE_US)).to.deep.equal([59]);
    expect(pricesBefore(3 * MINUTE_US)).to.deep.equal([59, 159]);
    // The current minute has no close yet.
    expect(pricesBefore(9 * MINUTE_US)).to.deep.equal([59, 159]);
    expect([...closes.before(9 * MINUTE_US)!.timesUs]).to.deep.equal([59e6, MINUTE_US + 59e6]);
  });

  it('continues the closes that it was given', () => {
    const given = { timesUs: Float64Array.of(30e6, 90e6, 150e6), prices: Float64Array.of(1, 2, 3) };
    const closes = new SeriesCloses();
    closes.restart(given);
    closes.push(200e6, 4);
    expect([...closes.before(200e6)!.prices]).to.deep.equal([1, 2, 3]);
    // A close at the start of the minute of the window is not before it.
    closes.push(240e6, 5);
    closes.push(300e6, 6);
    expect([...closes.before(240e6)!.timesUs]).to.deep.equal([30e6, 90e6, 150e6, 200e6]);
    expect([...closes.before(299e6)!.timesUs]).to.deep.equal([30e6, 90e6, 150e6, 200e6]);
  });
});
