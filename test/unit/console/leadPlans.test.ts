import { expect } from 'chai';
import { leadPlans } from '../../../src/console/replay/leadPlans.ts';

/** A tick a second. */
const seriesOf = (count: number) => ({
  timesUs: Float64Array.from({ length: count }, (_, i) => i * 1e6),
  prices: new Float64Array(count).fill(1),
});
const VERSION = { mostHorizonToWindow: 10, windowTicks: [{ upToS: null, ticks: 500 }] };

describe('the rows of the table of a replay', () => {
  it('are every horizon at the threshold of each window and at that of the user, but for the row of the form', () => {
    const { plans, without } = leadPlans(seriesOf(20_000), VERSION, { horizonMs: 60_000, count: 250, options: { minMoveBps: 4 } });
    expect(without).to.deep.equal([]);
    expect(plans.map(({ horizonMs, options, count }) => [horizonMs / 1000, options.minMoveBps, count])).to.deep.equal([
      [60, undefined, 250],
      ...[10, 300, 1800].flatMap((horizonS) => [undefined, 4].map((minMoveBps) => [horizonS, minMoveBps, 500])),
    ]);
    for (const { origins, horizonMs } of plans) {
      expect(origins.length).to.be.within(10, 500);
      for (let i = 1; i < origins.length; i++) expect(origins[i] - origins[i - 1]).to.be.at.least(horizonMs / 1000 + 1);
    }
  });

  it('are once for each horizon without a threshold of the user, and say where a file is too short', () => {
    const { plans, without } = leadPlans(seriesOf(450), VERSION, { horizonMs: 10_000, count: 250, options: {} });
    expect(plans).to.deep.equal([]);
    expect(without.map(({ horizonMs }) => horizonMs / 1000)).to.deep.equal([60, 300, 1800]);
    expect(without[0].noWindow).to.equal('the file has 450 ticks; a window takes 500');
  });

  it('are those of the heads for bars', () => {
    const bars = { ...seriesOf(2000), bars: { periodMs: 60_000 } };
    bars.timesUs.forEach((us, i) => (bars.timesUs[i] = us * 60));
    const { plans } = leadPlans(bars, VERSION, { horizonMs: 1_800_000, count: 200, options: {} });
    expect(plans.map(({ horizonMs }) => horizonMs / 1000)).to.deep.equal([300, 7200]);
  });
});
