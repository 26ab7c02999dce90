import fc from 'fast-check';
import { expect } from 'chai';
import { conesOf } from '../../../src/console/chart/Scene.ts';
import { candlesOf, candleStep } from '../../../src/console/chart/candlesOf.ts';
import { MARK_PX, placeMarks, placeTags, type PriceTag } from '../../../src/console/chart/priceTags.ts';
import { usualLevel } from '../../../src/console/chart/level.ts';
import { digitsOf, priceDigits, priceWriter } from '../../../src/console/chart/priceDigits.ts';
import { PriceScale } from '../../../src/console/chart/PriceScale.ts';
import { panRange, revealTime, zoomRange, type TimeRange, TimeScale } from '../../../src/console/chart/TimeScale.ts';
import type { TickSeries } from '../../../src/console/ticks/TickSeries.ts';

const WHOLE: TimeRange = [1000, 11_000];

describe('the time axis', () => {
  it('zooms around the time under the pointer', () => {
    const zoomed = zoomRange(WHOLE, WHOLE, 3500, 0.5);
    expect(zoomed).to.deep.equal([2250, 7250]);
    expect((3500 - zoomed[0]) / 5000).to.equal(0.25);
  });

  it('shows no less than 20 ms and no more than the whole', () => {
    let range = WHOLE;
    for (let i = 0; i < 50; i++) range = zoomRange(range, WHOLE, 4000, 0.5);
    expect(range[1] - range[0]).to.be.closeTo(20, 1e-6);
    for (let i = 0; i < 50; i++) range = zoomRange(range, WHOLE, 4000, 2);
    expect(range).to.deep.equal(WHOLE);
  });

  it('pans up to both ends and not beyond', () => {
    expect(panRange([3000, 5000], WHOLE, 500)).to.deep.equal([3500, 5500]);
    expect(panRange([3000, 5000], WHOLE, 90_000)).to.deep.equal([9000, 11_000]);
    expect(panRange([3000, 5000], WHOLE, -90_000)).to.deep.equal([1000, 3000]);
    expect(panRange(WHOLE, WHOLE, 500)).to.deep.equal(WHOLE);
  });

  it('moves as little as needed to show a time', () => {
    expect(revealTime([3000, 5000], WHOLE, 4000)).to.deep.equal([3000, 5000]);
    expect(revealTime([3000, 5000], WHOLE, 6000)).to.deep.equal([4200, 6200]);
    expect(revealTime([3000, 5000], WHOLE, 1000)).to.deep.equal([1000, 3000]);
  });
});

describe('both parts of the time axis', () => {
  const PLOT = { left: 10, width: 800 };

  it('give a quarter of the width to the future at every zoom and for every horizon', () => {
    for (const past of [WHOLE, [10_000, 11_000], [3000, 5000], [10_980, 11_000]] as const)
      for (const horizonMs of [10_000, 1_800_000]) {
        const time = new TimeScale(past, [11_000, 11_000 + horizonMs], PLOT);
        expect([time.xOf(past[0]), time.boundary, time.xOf(11_000 + horizonMs)]).to.deep.equal([10, 610, 810]);
        expect(time.xOf(11_000 + horizonMs / 2)).to.equal(710);
        expect(time.isJoined).to.equal(past[1] === 11_000);
        for (const x of [10, 200, 609, 611, 700, 810]) expect(time.xOf(time.msAt(x))).to.be.closeTo(x, 1e-6);
      }
  });

  it('have labels of the clock before the last tick and of a length after it, apart from each other', () => {
    const labels = new TimeScale([0, 300_000], [300_000, 360_000], PLOT).labels(90);
    expect(labels.map(({ text }) => text)).to.deep.equal(['01-01', '00:01', '00:02', '00:03', '00:04', '00:05', '+30 s']);
    expect(new TimeScale([61_000, 61_500], [61_500, 71_500], PLOT).labels(90)[0].text).to.equal('01:01.000');
    expect(new TimeScale(WHOLE, [11_000, 71_000], { left: 0, width: 300 }).labels(60).at(-1)!.text).to.not.match(/^\+/);
  });
});

describe('the price axis', () => {
  it('has round prices with the digits that they need', () => {
    const price = new PriceScale([99.93, 100.27], { top: 8, height: 400 });
    expect(price.labels(44).map(({ text }) => text)).to.deep.equal(['99.95', '100.00', '100.05', '100.10', '100.15', '100.20', '100.25']);
    expect(price.yOf(100.1)).to.be.closeTo(208, 1e-6);
    expect(price.priceAt(208)).to.be.closeTo(100.1, 1e-9);
    expect(new PriceScale([61_000, 66_000], { top: 0, height: 200 }).labels(44).map(({ text }) => text)).to.include('64000');
  });
});

describe('tags on the price axis', () => {
  const tag = (price: number): PriceTag => ({ price, text: String(price), colour: '', isFilled: false });
  /** A price is a pixel: 100 stands at the top. */
  const PLACE = { yOf: (price: number) => 100 - price, top: 0, bottom: 100, height: 10 };
  const placed = (tags: readonly PriceTag[]): readonly (readonly [number, number])[] =>
    placeTags(tags, PLACE).map(({ price, y }) => [price, y]);

  it('stand at their prices where there is room', () => {
    expect(placed([tag(80), tag(40)])).to.deep.equal([
      [80, 20],
      [40, 60],
    ]);
  });

  it('are moved apart around their common place, in the order of prices', () => {
    expect(placed([tag(50), tag(51), tag(49)])).to.deep.equal([
      [51, 40],
      [50, 50],
      [49, 60],
    ]);
  });

  it('are never cut off, whatever their prices', () => {
    for (const prices of [[100, 99, 98], [0, 1, 2], [500, -500], [100, 100, 0, 0, 50], Array.from({ length: 10 }, (_, i) => i / 10)]) {
      const all = placeTags(
        prices.map((price) => tag(price)),
        PLACE,
      );
      expect(all).to.have.length(prices.length);
      const ys = all.map(({ y }) => y);
      expect(Math.min(...ys)).to.be.at.least(5 - 1e-9);
      expect(Math.max(...ys)).to.be.at.most(95 + 1e-9);
      for (let i = 1; i < ys.length; i++) expect(ys[i] - ys[i - 1]).to.be.at.least(10 - 1e-9);
    }
  });
});

describe('the ranges of a chart', () => {
  it('are those with prices, widest first', () => {
    const band = (level: number, low: number | null) => ({
      ...{ level, move_bps: low === null ? null : 1, low, high: low === null ? null : 2 - low },
      ...{ reason: low === null ? ('range_untrained' as const) : null, coverage: null },
    });
    const place = { fromMs: 0, toMs: 60_000, price: 1 };
    expect(conesOf([band(0.5, 0.9), band(0.99, null), band(0.9, 0.7)], place)).to.deep.equal([
      { ...place, level: 0.9, low: 0.7, high: 1.3, isHeld: null },
      { ...place, level: 0.5, low: 0.9, high: 1.1, isHeld: null },
    ]);
    expect(conesOf([], place)).to.deep.equal([]);
  });
});

describe('digits of a price', () => {
  it('are those of the market, without rounding errors', () => {
    expect([1.08765, 100, 0.1 + 0.2, 5e-7].map(digitsOf)).to.deep.equal([5, 0, 1, 0]);
    expect(priceDigits(Float64Array.of(1.1, 1.25, 1.3), 0, 2)).to.equal(2);
    expect(priceDigits(Float64Array.of(1.1, 1.25, 1.3), 2, 2)).to.equal(1);
  });
});

describe('computed prices', () => {
  it('are rounded to the digits of the market', () => {
    expect(priceWriter({ prices: Float64Array.of(101.5, 101.13, 101.2) })(101.038765)).to.equal('101.04');
    expect(priceWriter({ prices: Float64Array.of(64_000, 64_010) })(64_123.456)).to.equal('64123');
  });
});

describe('the level of a chart', () => {
  it('is the highest price of the window, where that is the present one the lowest, and none for a constant price', () => {
    const of = (...prices: number[]): number | null => usualLevel({ prices: Float64Array.from(prices) });
    expect([of(1, 3, 2), of(1, 2, 3), of(2, 2)]).to.deep.equal([3, 1, null]);
  });
});

describe('candles', () => {
  const series = { timesUs: Float64Array.of(0, 1e6, 59e6, 60e6, 61e6), prices: Float64Array.of(5, 7, 6, 8, 4) };

  it('have first, highest, lowest and last price of each part of the clock', () => {
    expect(candlesOf(series, 0, 4, 60_000)).to.deep.equal([
      { fromMs: 0, open: 5, high: 7, low: 5, close: 6 },
      { fromMs: 60_000, open: 8, high: 8, low: 4, close: 4 },
    ]);
  });

  it('of bars have their highs and lows, and begin where the bar does', () => {
    const ranges = { open: Float64Array.of(1, 2), high: Float64Array.of(9, 8), low: Float64Array.of(0, 1) };
    const bars = { timesUs: Float64Array.of(60e6, 120e6), prices: Float64Array.of(2, 3), bars: { periodMs: 60_000, ranges } };
    expect(candlesOf(bars, 0, 1, 60_000).map(({ fromMs, high, low }) => [fromMs, high, low])).to.deep.equal([
      [0, 9, 0],
      [60_000, 8, 1],
    ]);
    expect(candlesOf(bars, 0, 1, 120_000)).to.deep.equal([{ fromMs: 0, open: 1, high: 9, low: 0, close: 3 }]);
    expect([candleStep(10, series as TickSeries), candleStep(10, bars)]).to.deep.equal([100, 60_000]);
  });
});

describe('marks on a chart', () => {
  it('cover no other one, and none is lost', () => {
    const place = fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 20, max: 200 }));
    fc.assert(
      fc.property(fc.array(place, { maxLength: 60 }), (marks) => {
        const placed = placeMarks(marks, (mark) => mark, MARK_PX);
        for (const [i, a] of placed.entries())
          for (const b of placed.slice(0, i)) expect(Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y))).to.be.at.least(MARK_PX);
        for (const { mark, x, y } of placed) expect([x, y <= mark[1] && y >= MARK_PX]).to.deep.equal([mark[0], true]);
        expect(placed.reduce((sum, { more }) => sum + 1 + more, 0)).to.equal(marks.length);
      }),
    );
  });
});
