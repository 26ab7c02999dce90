import { expect } from 'chai';
import { type BarMeasures, type ClockScale, FLAT_CLOCK, measureBars } from '../../../../src/engine/features/measureBars.ts';
import type { TickSeries } from '../../../../src/ticks/TickSeries.ts';
import { type Bars, walkBars } from '../../../support/walkBars.ts';

const HORIZON_MS = 1_800_000;

const measured = ({ series, bars }: Bars, clock: ClockScale = FLAT_CLOCK): BarMeasures => {
  const found = measureBars(series, bars, HORIZON_MS, clock);
  if (typeof found === 'string') throw new Error(found);
  return found;
};

/** ln of the expected move, by sums over all bars. */
function naive({ timesUs, prices }: TickSeries, periodMs: number, halfLife: number, clock: ClockScale): number {
  const [times, logs] = [[...timesUs].map((us) => us / 1000), [...prices].map(Math.log)];
  const isOpen = (i: number): boolean => times[i] - times[i - 1] <= 1_800_000 + periodMs;
  const moves = times.map((_, i) => i).filter((i) => i > 0 && isOpen(i));
  const ageMs = (i: number): number => moves.filter((j) => j > i).reduce((sum, j) => sum + times[j] - times[j - 1], 0);
  const square = (i: number): number => (logs[i] - logs[i - 1]) ** 2 / clock(times[i - 1], times[i]);
  let [sum, weight, all, open] = [0, 0, 0, 0];
  for (const i of moves) {
    const decay = 0.5 ** (ageMs(i) / (halfLife * periodMs));
    sum += decay * square(i);
    weight += decay * (times[i] - times[i - 1]);
    all += square(i);
    open += times[i] - times[i - 1];
  }
  const endMs = times.at(-1)!;
  const rate = (sum + (periodMs * all) / open) / (weight + periodMs);
  return 0.5 * Math.log(rate * HORIZON_MS * clock(endMs, endMs + HORIZON_MS));
}

/** ln of the true range of the last bar and of the last five over the usual one, whose half-life is 200 bars. */
function naiveRanges({ series: { timesUs, prices }, bars: { periodMs, ranges } }: Bars, clock: ClockScale): number[] {
  const found: number[] = [];
  for (let i = 1; i < timesUs.length; i++) {
    const [before, end] = [timesUs[i - 1] / 1000, timesUs[i] / 1000];
    if (end - before > 1_800_000 + periodMs) continue;
    const [high, low] = [Math.max(ranges.high[i], prices[i - 1]), Math.min(ranges.low[i], prices[i - 1])];
    found.push(Math.log(high / low) / Math.sqrt(clock(before, end) * (end - before)));
  }
  const weights = found.map((_, i) => 0.5 ** ((found.length - 1 - i) / 200));
  const usual = found.reduce((sum, range, i) => sum + range * weights[i], 0) / weights.reduce((sum, weight) => sum + weight, 0);
  return [1, 5].map((count) => {
    const mean = found.slice(-count).reduce((sum, range) => sum + range, 0) / count;
    return Math.max(-1.5, Math.min(1.5, Math.log((mean / usual + 0.1) / 1.1)));
  });
}

/** theta* and its level, from moves over `lag` bars that no pause interrupts. */
function naiveThreshold({ timesUs, prices }: TickSeries, periodMs: number, lag: number): { thetaDefault: number; level: number } {
  const isPause = (i: number): boolean => (timesUs[i] - timesUs[i - 1]) / 1000 > 1_800_000 + periodMs;
  const moves: number[] = [];
  let [squares, open] = [0, 0];
  for (let i = 1; i < timesUs.length; i++) {
    if (!isPause(i)) {
      squares += Math.log(prices[i] / prices[i - 1]) ** 2;
      open += (timesUs[i] - timesUs[i - 1]) / 1000;
    }
    const from = i - lag;
    if (from < 0 || Array.from({ length: lag }, (_, k) => from + k + 1).some(isPause)) continue;
    moves.push(Math.abs(Math.log(prices[i] / prices[from])) * Math.sqrt(HORIZON_MS / ((timesUs[i] - timesUs[from]) / 1000)));
  }
  const sigma = Math.sqrt((squares / open) * HORIZON_MS);
  const mean = moves.length < 20 ? 0.8 * sigma : moves.reduce((sum, move) => sum + move, 0) / moves.length;
  const thetaDefault = Math.max(1.5 * mean, 0.575 * sigma) ** 0.9 * (0.6e-4 * Math.sqrt(HORIZON_MS / 1000)) ** 0.1;
  return { thetaDefault, level: Math.log(thetaDefault / sigma) };
}

describe('measureBars', () => {
  const clock: ClockScale = (fromMs, toMs) => 1 + 0.5 * Math.sin((fromMs + toMs) / 1e7);

  for (const [name, bars] of Object.entries({
    'bars without a gap': walkBars({ count: 260 }),
    'bars of which a fifth is missing': walkBars({ count: 260, missing: 0.2 }),
    'bars across nights': walkBars({ count: 300, periodMs: 300_000, nights: true }),
  }))
    it(`weighs moves by elapsed time: ${name}`, () => {
      for (const by of [FLAT_CLOCK, clock])
        [10, 50, 200].forEach((halfLife, k) =>
          expect(measured(bars, by).logMoves[k]).to.be.closeTo(naive(bars.series, bars.bars.periodMs, halfLife, by), 1e-9),
        );
    });

  /** Sessions of two bars: no move over two bars is without a pause. */
  const short = walkBars({ count: 44 });
  const pauses = short.series.timesUs.map((us, i) => us + Math.floor(i / 2) * 3 * 3600e6);
  for (const [name, bars, lag] of [
    ['bars of which a fifth is missing', walkBars({ count: 260, missing: 0.2 }), 12],
    ['bars across nights', walkBars({ count: 300, periodMs: 300_000, nights: true }), 6],
    ['sessions of two bars', { ...short, series: { ...short.series, timesUs: pauses } }, 2],
  ] as const)
    it(`has ranges and a default threshold by their formulas: ${name}`, () => {
      const { ranges, thetaDefault, level } = measured(bars, clock);
      naiveRanges(bars, clock).forEach((range, i) => expect(ranges![i]).to.be.closeTo(range, 1e-9));
      const naive = naiveThreshold(bars.series, bars.bars.periodMs, lag);
      expect(thetaDefault / naive.thetaDefault).to.be.closeTo(1, 1e-9);
      expect(level).to.be.closeTo(naive.level, 1e-9);
    });

  it('says how the true range of the last bars compares with the usual one', () => {
    const { series, bars } = walkBars({ count: 300 });
    const high = bars.ranges.high.slice();
    const calm = measured({ series, bars });
    high[299] = high[299] * 1.01;
    const wild = measured({ series, bars: { ...bars, ranges: { ...bars.ranges, high } } });
    expect(wild.ranges![0])
      .to.be.above(calm.ranges![0] + 0.5)
      .and.at.most(1.5);
    expect(wild.ranges![1]).to.be.above(calm.ranges![1]);
    expect(wild.logMoves).to.deep.equal(calm.logMoves);
    expect(measureBars(series, { periodMs: bars.periodMs }, HORIZON_MS)).to.deep.equal({ ...calm, ranges: null });
  });

  it('counts the jump from a close to the next open as range', () => {
    const { series, bars } = walkBars({ count: 300 });
    const shift = (values: Float64Array): Float64Array => values.map((value, i) => (i === 299 ? value * 1.01 : value));
    const { open, high, low } = bars.ranges;
    const gap = {
      series: { ...series, prices: shift(series.prices) },
      bars: { ...bars, ranges: { open: shift(open), high: shift(high), low: shift(low) } },
    };
    expect(measured(gap).ranges![0]).to.be.above(measured({ series, bars }).ranges![0] + 0.5);
  });

  it('counts the last of bars that end at the same time', () => {
    const { series, bars } = walkBars({ count: 300 });
    /** Another value before the last one. */
    const twice = (values: Float64Array, factor = 1.01): Float64Array =>
      Float64Array.of(...values.subarray(0, -1), factor * values.at(-1)!, values.at(-1)!);
    const { open, high, low } = bars.ranges;
    const doubled = measured({
      series: { timesUs: twice(series.timesUs, 1), prices: twice(series.prices) },
      bars: { ...bars, ranges: { open: twice(open), high: twice(high), low: twice(low) } },
    });
    expect(doubled).to.deep.equal(measured({ series, bars }));
  });

  it('refuses bars that say nothing', () => {
    const { series, bars } = walkBars({ count: 300 });
    const few = { timesUs: series.timesUs.subarray(0, 30), prices: series.prices.subarray(0, 30) };
    expect(measureBars(few, { periodMs: 60_000 }, HORIZON_MS)).to.equal('too_few_distinct_ticks');
    expect(measureBars({ ...series, prices: new Float64Array(300).fill(7) }, bars, HORIZON_MS)).to.equal('constant_price');
    expect(measureBars({ ...series, timesUs: new Float64Array(300).fill(7e12) }, bars, HORIZON_MS)).to.equal('window_without_duration');
  });

  it('has a default threshold that past moves of the horizon pass about once in five', () => {
    const { series, bars } = walkBars({ count: 3000, periodMs: 60_000 });
    const { thetaDefault } = measured({ series, bars });
    const moves = [...series.prices].slice(30).map((price, i) => Math.abs(Math.log(price / series.prices[i])));
    const rate = moves.filter((move) => move > thetaDefault).length / moves.length;
    expect(rate).to.be.within(0.1, 0.3);
  });
});
