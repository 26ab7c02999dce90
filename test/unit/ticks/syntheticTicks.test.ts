import { expect } from 'chai';
import { BURST_LEAD_S, EQUAL_TIMESTAMP_FRACTION, SHOCK_S, syntheticTicks } from '../../../src/ticks/syntheticTicks.ts';
import type { TickSeries } from '../../../src/ticks/TickSeries.ts';

const START_US = Date.UTC(2024, 0, 2) * 1000;

/** Ticks and sum of squared changes of log price in every second from the start. */
function perSecond({ timesUs, prices }: TickSeries): { ticks: Float64Array; squares: Float64Array } {
  const seconds = Math.floor((timesUs[timesUs.length - 1] - START_US) / 1e6) + 1;
  const ticks = new Float64Array(seconds);
  const last = new Float64Array(seconds);
  for (let i = 0; i < prices.length; i++) {
    const second = Math.floor((timesUs[i] - START_US) / 1e6);
    ticks[second]++;
    last[second] = Math.log(prices[i]);
  }
  const squares = new Float64Array(seconds);
  for (let s = 1; s < seconds; s++) {
    if (last[s] === 0) last[s] = last[s - 1];
    squares[s] = (last[s] - last[s - 1]) ** 2;
  }
  return { ticks, squares };
}

function correlation(x: readonly number[], y: readonly number[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const mx = mean(x);
  const my = mean(y);
  const cov = mean(x.map((value, i) => (value - mx) * (y[i] - my)));
  return cov / Math.sqrt(mean(x.map((value) => (value - mx) ** 2)) * mean(y.map((value) => (value - my) ** 2)));
}

/** Mean squared move per second in the shocks that follow bursts, over the mean of all other seconds. */
function shockRatio(series: TickSeries): number {
  const { ticks, squares } = perSecond(series);
  const rate = series.prices.length / ticks.length;
  let inside = 0;
  let insideSeconds = 0;
  let outside = 0;
  let outsideSeconds = 0;
  let burstAt = -Infinity;
  for (let s = 1; s < ticks.length; s++) {
    if (s > burstAt + SHOCK_S + BURST_LEAD_S && (ticks[s - 1] + ticks[s]) / 2 > 2.2 * rate) burstAt = s - 1;
    const since = s - burstAt;
    // One second less at both ends, because a burst is located to the second.
    if (since > BURST_LEAD_S + 1 && since < BURST_LEAD_S + SHOCK_S - 1) {
      inside += squares[s];
      insideSeconds++;
    } else if (since > BURST_LEAD_S + SHOCK_S + 1) {
      outside += squares[s];
      outsideSeconds++;
    }
  }
  expect(insideSeconds, 'seconds in shocks').to.be.above(1000);
  return inside / insideSeconds / (outside / outsideSeconds);
}

/** Volatility far above the price grid, and no bounce, so that squared moves show it. */
const CLEAR = { count: 100_000, tickSize: 1e-6, spreadTicks: 0, regimeSpread: 0 } as const;

/** The placebos of training hold that moves have no direction, and that prices bounce. */
describe('syntheticTicks', () => {
  it('gives the same bits for the same options, and other bits for another seed', () => {
    const options = { seed: 7, count: 5000 };
    expect(syntheticTicks(options)).to.deep.equal(syntheticTicks(options));
    expect(syntheticTicks({ ...options, seed: 8 }).prices).to.not.deep.equal(syntheticTicks(options).prices);
  });

  it('makes a valid tick series: ordered, whole milliseconds, prices above 0 on the grid', () => {
    const { timesUs, prices } = syntheticTicks({ seed: 1, count: 20_000, tickSize: 0.05, startUs: START_US + 123 });
    expect(timesUs[0]).to.be.at.least(START_US);
    let repeats = 0;
    for (let i = 0; i < prices.length; i++) {
      if (timesUs[i] % 1000 !== 0) expect.fail(`stamp ${timesUs[i]}`);
      if (i > 0 && timesUs[i] < timesUs[i - 1]) expect.fail(`step back at ${i}`);
      if (i > 0 && timesUs[i] === timesUs[i - 1]) repeats++;
      const steps = prices[i] / 0.05;
      if (!(prices[i] > 0 && Math.abs(steps - Math.round(steps)) < 1e-6)) expect.fail(`price ${prices[i]}`);
    }
    expect(repeats / prices.length).to.be.within(EQUAL_TIMESTAMP_FRACTION, EQUAL_TIMESTAMP_FRACTION + 0.03);
  });

  it('has irregular gaps around the requested median', () => {
    for (const medianGapMs of [50, 1000]) {
      const { timesUs } = syntheticTicks({ seed: 2, count: 20_000, medianGapMs });
      const gaps = Array.from(timesUs.subarray(1), (us, i) => (us - timesUs[i]) / 1000).filter((gap) => gap > 0);
      gaps.sort((a, b) => a - b);
      expect(gaps[gaps.length >> 1]).to.be.within(0.7 * medianGapMs, 1.1 * medianGapMs);
      expect(gaps[Math.floor(gaps.length * 0.99)]).to.be.above(5 * medianGapMs);
    }
  });

  it('raises volatility after bursts by the strength, and not at all at strength 0', () => {
    expect(shockRatio(syntheticTicks({ ...CLEAR, seed: 4, signalStrength: 1 })), 'about (1 + 2)^2').to.be.within(5, 11);
    expect(shockRatio(syntheticTicks({ ...CLEAR, seed: 4, signalStrength: 0 }))).to.be.within(0.8, 1.25);
  });

  it('has volatility that past volatility predicts, but only with regimes and signal', () => {
    const pastAndNext = (series: TickSeries): number => {
      const { squares } = perSecond(series);
      const blocks = Array.from({ length: Math.floor(squares.length / 60) }, (_, b) =>
        Math.log(squares.subarray(b * 60, b * 60 + 60).reduce((sum, value) => sum + value, 1e-14)),
      );
      return correlation(blocks.slice(0, -1), blocks.slice(1));
    };
    expect(pastAndNext(syntheticTicks({ ...CLEAR, regimeSpread: 0.6, signalStrength: 0, seed: 5 }))).to.be.above(0.4);
    // The standard error of a correlation over about 400 blocks is 0.05.
    expect(Math.abs(pastAndNext(syntheticTicks({ ...CLEAR, signalStrength: 0, seed: 5 })))).to.be.below(0.2);
  });

  it('refuses invalid options', () => {
    for (const bad of [{ count: -1 }, { count: 1.5 }, { tickSize: 0 }, { medianGapMs: 0 }, { signalStrength: -1 }, { startUs: NaN }]) {
      expect(() => syntheticTicks({ seed: 1, count: 10, ...bad }), JSON.stringify(bad)).to.throw(RangeError);
    }
  });
});
