import { expect } from 'chai';
import { TickWindow } from '../../../src/ticks/TickWindow.ts';

/** Ticks from `from` to `to` - 1, as plain lists. */
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

describe('TickWindow', () => {
  it('gives the last ticks, at most as many as it keeps', () => {
    const window = new TickWindow(3000);
    expect([window.size, window.lastUs]).to.deep.equal([0, undefined]);
    for (let i = 0; i < 20_000; i++) {
      window.push(i, -i);
      if (i % 997 !== 0 && i < 19_000) continue;
      const all = numbers(Math.max(0, i - 2999), i + 1);
      expect([window.size, window.lastUs]).to.deep.equal([all.length, i]);
      expect([...window.last(9000).timesUs]).to.deep.equal(all);
      const few = window.last(500);
      expect([...few.timesUs]).to.deep.equal(all.slice(-500));
      expect([...few.prices]).to.deep.equal(all.slice(-500).map((each) => -each));
    }
  });

  it('does not change a window when further ticks follow, which a queued forecast needs', () => {
    const window = new TickWindow(3000);
    for (let i = 0; i < 4400; i++) window.push(i, i);
    const { timesUs, prices } = window.last(3000);
    for (let i = 4400; i < 12_000; i++) window.push(i, i);
    expect([...timesUs]).to.deep.equal(numbers(1400, 4400));
    expect([...prices]).to.deep.equal(numbers(1400, 4400));
  });

  it('gives the forecasts of one tick the same window, until the next tick', () => {
    const window = new TickWindow(3000);
    for (let i = 0; i < 600; i++) window.push(i, i);
    const [short, long] = [window.last(500), window.last(3000)];
    expect([window.last(500), window.last(3000)]).to.have.ordered.members([short, long]);
    window.push(600, 600);
    expect([...window.last(500).timesUs]).to.deep.equal(numbers(101, 601));
  });

  it('keeps the spreads from the first quote on, in windows that do not change', () => {
    const window = new TickWindow(3000);
    for (let i = 0; i < 700; i++) window.push(i, i);
    expect(window.last(3000)).to.not.have.property('spreadsBps');
    const spread = (i: number): number => (i < 700 || i % 5 === 0 ? NaN : i);
    for (let i = 700; i < 12_000; i++) {
      window.push(i, i, spread(i));
      if (i % 1999 === 0 || i === 701)
        expect([...window.last(900).spreadsBps!]).to.deep.equal(numbers(Math.max(0, i - 899), i + 1).map(spread));
    }
    const { spreadsBps } = window.last(3000);
    for (let i = 12_000; i < 20_000; i++) window.push(i, i, spread(i));
    expect([...spreadsBps!]).to.deep.equal(numbers(9000, 12_000).map(spread));
  });

  it('keeps the ranges of bars, in windows that do not change', () => {
    const window = new TickWindow(3000);
    expect(window.hasRanges).to.equal(undefined);
    const names = { open: 0, high: 2, low: -2 } as const;
    const rangeOf = (i: number) => ({ open: i, high: i + 2, low: i - 2 });
    for (let i = 0; i < 12_000; i++) {
      window.push(i, i, undefined, rangeOf(i));
      if (i % 1999 !== 0 && i !== 300) continue;
      for (const [name, more] of Object.entries(names) as [keyof typeof names, number][])
        expect([...window.last(900).ranges![name]]).to.deep.equal(numbers(Math.max(0, i - 899) + more, i + 1 + more));
    }
    const { ranges } = window.last(3000);
    for (let i = 12_000; i < 20_000; i++) window.push(i, i, undefined, rangeOf(i));
    expect([...ranges!.high]).to.deep.equal(numbers(9002, 12_002));
    expect(window.hasRanges).to.equal(true);
    const closes = new TickWindow(3000);
    closes.push(1, 1);
    expect([closes.hasRanges, closes.last(1).ranges]).to.deep.equal([false, undefined]);
  });

  it('takes at most 100 kB', () => {
    const window = new TickWindow(3000);
    let most = 0;
    for (let i = 0; i < 20_000; i++) {
      window.push(i, i);
      const { timesUs, prices } = window.last(1);
      most = Math.max(most, timesUs.buffer.byteLength + prices.buffer.byteLength);
    }
    expect(most).to.be.within(48_000, 100_000);
  });
});
