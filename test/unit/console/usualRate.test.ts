import { expect } from 'chai';
import { usualRate } from '../../../src/console/ticks/usualRate.ts';

const STEP_US = 500_000;
const HORIZON_MS = 60_000;

/** Ticks every 0.5 s; the price jumps by 10 bps in the middle of each minute that `isLarge` names, counted from the first tick. */
function ticks(minutes: number, isLarge: (minute: number) => boolean): { timesUs: Float64Array; prices: Float64Array } {
  const count = minutes * 120 + 1;
  const prices = new Float64Array(count);
  let log = 0;
  for (let i = 0; i < count; i++) {
    if (i % 120 === 60 && isLarge(Math.floor(i / 120))) log += 1e-3;
    prices[i] = 100 * Math.exp(log);
  }
  return { timesUs: Float64Array.from({ length: count }, (_, i) => 1_700_000_000_000_000 + i * STEP_US), prices };
}

describe('how often such a move came before', () => {
  it('counts the earlier stretches of the length of the horizon, of the past alone', () => {
    const series = ticks(60, (minute) => (minute < 40 ? minute % 4 === 0 : true));
    expect(usualRate(series, 40 * 120, HORIZON_MS, 5, 500)).to.equal(0.25);
    expect(usualRate(series, 60 * 120, HORIZON_MS, 5, 500)).to.equal(30 / 60);
    expect(usualRate(series, 40 * 120, HORIZON_MS, 11, 500)).to.equal(0);
  });

  it('does not see the ticks behind the origin', () => {
    const all = ticks(60, (minute) => minute >= 30);
    expect(usualRate(all, 30 * 120, HORIZON_MS, 5, 500)).to.equal(0);
  });

  it('says nothing from fewer than 20 outcomes, and leaves pauses out', () => {
    const series = ticks(20, () => true);
    expect(usualRate(series, 19 * 120, HORIZON_MS, 5, 500)).to.equal(null);
    expect(usualRate(series, 20 * 120, HORIZON_MS, 5, 500)).to.equal(1);
    series.timesUs.forEach((time, i) => (series.timesUs[i] = i > 600 ? time + 7_200_000_000 : time));
    expect(usualRate(series, 20 * 120, HORIZON_MS, 5, 500)).to.equal(null);
  });
});
