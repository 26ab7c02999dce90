import { expect } from 'chai';
import { SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';
import { sessionBars } from '../../../support/sessionBars.ts';

type BarTime = 'open' | 'close';
const DAY_BARS = 8 * 60;

/** Bars of sessions of 8 hours, stamped as `truth` and placed at their ends as `read`. */
function placed(truth: BarTime, read: BarTime, days: number, seed = 1) {
  const bars = sessionBars({ days, seed });
  const shiftUs = ((truth === 'close' ? 1 : 0) + (read === 'open' ? 1 : 0)) * 60e6;
  const of = (name: 'open' | 'high' | 'low' | 'close'): Float64Array => Float64Array.from(bars, (bar) => bar[name]);
  return {
    timesUs: Float64Array.from(bars, ({ startUs }) => startUs + shiftUs),
    prices: of('close'),
    ranges: { open: of('open'), high: of('high'), low: of('low') },
  };
}

const doubtOf = (memory: SeriesMemory): string | undefined => memory.view(300_000).barTimeDoubt;

describe('the doubt of a series of bars', () => {
  for (const truth of ['open', 'close'] as const) {
    const other = truth === 'open' ? 'close' : 'open';

    it(`finds bars stamped as ${truth} that are read as ${other}, after five days and not before`, () => {
      const memory = new SeriesMemory(60_000);
      memory.readAs(other);
      const bars = placed(truth, other, 7);
      memory.add(bars, 0, 5 * DAY_BARS);
      expect(doubtOf(memory)).to.equal(undefined);
      memory.add(bars, 5 * DAY_BARS);
      expect(doubtOf(memory)).to.match(
        truth === 'open'
          ? /read as the ends .* like the beginnings: 6 of 6 sessions/
          : /read as the beginnings .* like the ends: 6 of 6 sessions/,
      );
      expect(doubtOf(SeriesMemory.load(memory.save()))).to.equal(doubtOf(memory));
      // The caller has corrected it.
      memory.readAs(truth);
      expect(doubtOf(memory)).to.equal(undefined);
    });

    it(`never doubts bars stamped as ${truth} that are read so`, () => {
      for (let seed = 1; seed <= 10; seed++) {
        const memory = new SeriesMemory(60_000);
        memory.readAs(truth);
        const bars = placed(truth, truth, 12, seed);
        for (let at = 0; at < bars.prices.length; at += 60) {
          memory.add(bars, at, at + 60);
          expect(doubtOf(memory)).to.equal(undefined);
        }
      }
    });
  }

  it('learns the same from one window and from parts, restarts and bars that were sent before they had ended', () => {
    const bars = placed('open', 'close', 7);
    const part = (from: number, to: number) => ({
      timesUs: bars.timesUs.slice(from, to),
      prices: bars.prices.slice(from, to),
      ranges: { open: bars.ranges.open.slice(from, to), high: bars.ranges.high.slice(from, to), low: bars.ranges.low.slice(from, to) },
    });
    const whole = new SeriesMemory(60_000);
    whole.readAs('close');
    whole.add(bars);
    let memory = new SeriesMemory(60_000);
    for (let at = 0; at < bars.prices.length; at += 100) {
      memory.readAs('close');
      memory.join(part(Math.max(0, at - 50), at + 100));
      memory = SeriesMemory.load(memory.save());
    }
    expect(doubtOf(memory)).to.equal(doubtOf(whole));
  });

  it('takes a gap between two requests for no pause of the market', () => {
    const memory = new SeriesMemory(60_000);
    memory.readAs('open');
    const bars = placed('open', 'open', 8);
    // Each window begins one bar after a half hour, as those of a daily job do.
    for (let day = 0; day < 8; day++) {
      const [from, to] = [day * DAY_BARS + 61, day * DAY_BARS + 361];
      memory.join({ timesUs: bars.timesUs.slice(from, to), prices: bars.prices.slice(from, to) });
    }
    expect(doubtOf(memory)).to.equal(undefined);
  });

  it('says nothing before a caller has said what the timestamps are', () => {
    const memory = new SeriesMemory(60_000);
    memory.add(placed('open', 'close', 8));
    expect(doubtOf(memory)).to.equal(undefined);
  });
});
