import { expect } from 'chai';
import fc from 'fast-check';
import type { ForecastOptions } from '../../../../src/contract/forecastOptions.ts';
import { originOf } from '../../../../src/engine/forecast/memoryAt.ts';
import { ThresholdCurve } from '../../../../src/engine/forecast/thresholdCurve.ts';
import { touchSides } from '../../../../src/engine/forecast/touch.ts';
import { SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';
import { fakeForecaster, MEMORY_LINE, tickRequest } from '../../../support/fakeForecaster.ts';
import { serviceErrorOf } from '../../../support/serviceErrorOf.ts';
import { walkTicks } from '../../../support/walkTicks.ts';

const REQUEST = tickRequest();
const LAST = REQUEST.series.prices.at(-1)!;
/** A residual by seed, so that the probabilities of different windows differ. */
const drawn = (residual: number) =>
  fakeForecaster({
    trained: { logThetaRatio: [-1.4, 2.1] },
    memory: MEMORY_LINE,
    answer: (row) => ({ baselineLogit: 2 * row.baseline - 1, residualLogit: residual, directionLogit: 0 }),
  });
const at = (bps: number): number => LAST * Math.exp(bps / 1e4);

describe('the chance that a price is reached', () => {
  it('falls with the distance, alike on both sides, and agrees with the chance of either, of first and of the reach', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: -1.5, max: 1.5, noNaN: true }), async (residual) => {
        const { forecaster } = drawn(residual);
        const { minMoveBps } = (await forecaster.forecast(REQUEST)).summary;
        const steps = [0, 0.02, 0.1, 0.3, 0.6, 1, 2, 4];
        const prices = steps.flatMap((step) => (step === 0 ? [LAST] : [at(step * minMoveBps!), at(-step * minMoveBps!)]));
        const { levels, reach } = (await forecaster.forecast(REQUEST, { touch: prices })).outlook!.touch!;
        expect(levels.map(({ price }) => price)).to.deep.equal(prices);
        for (let i = 1; i < levels.length; i += 2) {
          const [up, down] = [levels[i].probability!, levels[i + 1].probability!];
          expect(up).to.be.closeTo(down, 1e-9);
          expect(up).to.be.within(0, i === 1 ? 1 : levels[i - 2].probability!);
        }
        for (const band of reach.filter(({ move_bps: bps }) => bps !== null)) {
          const touch = [band.high!, band.low!];
          const { levels: both, neither } = (await forecaster.forecast(REQUEST, { touch, first: true })).outlook!.touch!;
          expect(neither, 'the reach stays between its ends').to.be.closeTo(band.level, 1e-5);
          expect(both[0].first! + both[1].first! + neither!).to.be.closeTo(1, 1e-12);
          expect(both[0].probability).to.be.at.least(both[0].first!);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('is asked for by name, changes nothing else, and has a reason where it is none', async () => {
    const { forecaster } = drawn(0);
    const plain = await forecaster.forecast(REQUEST, { detail: true });
    expect(plain).to.not.have.property('outlook');
    const asked = { touch: [at(1), at(-90)], first: true };
    const { outlook, detail, summary } = await forecaster.forecast(REQUEST, { detail: true, ...asked });
    expect([summary, detail!.counterfactual]).to.deep.equal([plain.summary, plain.detail!.counterfactual]);
    expect(detail!.touch).to.deep.equal(outlook!.touch);
    expect(outlook!.touch!.levels[1]).to.deep.include({ probability: null, first: null, reason: 'range_untrained' });
    expect(outlook!.touch!.neither).to.equal(null);
    const far = { ...REQUEST, futureUs: REQUEST.series.timesUs.at(-1)! + 7200e6 };
    const none = (await forecaster.forecast(far, asked)).outlook!.touch!;
    for (const { probability, reason } of none.levels) expect([probability, reason]).to.deep.equal([null, 'horizon_untrained']);
  });

  it('of a limit order is that of half a spread further away, of a stop that of half a spread nearer, and without quotes that of the price', async () => {
    const { forecaster } = drawn(0);
    const [spread, touch] = [4, [at(6), at(-6), at(1), at(-1)]];
    const chances = async (options: ForecastOptions, request: object = { spreadsBps: () => Float64Array.of(40, spread) }) =>
      (await forecaster.forecast({ ...REQUEST, ...request }, options)).outlook!.touch!.levels.map(({ probability }) => probability!);
    const shifted = (bps: number) => chances({ touch: [at(6 + bps), at(-6 - bps)], touchBy: 'mid' });
    const [limit, stop] = [await chances({ touch, touchBy: 'limit' }), await chances({ touch, touchBy: 'stop' })];
    for (const [given, bps] of [
      [limit, 2],
      [stop, -2],
    ] as const)
      for (const [i, chance] of (await shifted(bps)).entries()) expect(given[i]).to.be.closeTo(chance, 1e-3);
    expect(limit[2]).to.be.below((await chances({ touch, touchBy: 'mid' }))[2]);
    expect(await chances({ touch }), 'where nothing is named').to.deep.equal(limit);
    const ofPrices = await chances({ touch }, {});
    for (const touchBy of ['limit', 'mid'] as const) expect(await chances({ touch, touchBy }, {})).to.deep.equal(ofPrices);
    expect(await chances({ touch, touchBy: 'mid' })).to.deep.equal(ofPrices);
  });

  it('is 1 of a stop that is triggered already, which is the first of two unless both are, and says what reaches the levels', async () => {
    const { forecaster } = drawn(0);
    const ask = async (touch: readonly number[], touchBy?: 'stop') =>
      (await forecaster.forecast({ ...REQUEST, spreadsBps: () => Float64Array.of(4) }, { touch, touchBy, first: true })).outlook!.touch!;
    const one = await ask([at(1), at(-9)], 'stop');
    expect(one.levels[0]).to.deep.include({ probability: 1, version_probability: 1, baseline_probability: 1, first: 1 });
    expect([one.levels[1].first, one.neither, one.by]).to.deep.equal([0, 0, 'stop']);
    const both = await ask([at(1), at(-1)], 'stop');
    expect([both.levels.map(({ first }) => first), both.neither]).to.deep.equal([[null, null], null]);
    expect((await ask([at(2.1), at(-2.1)], 'stop')).levels[0].probability).to.be.below(1);
    expect((await ask([at(1), at(-9)])).by).to.equal('limit');
    expect((await forecaster.forecast(REQUEST, { touch: [at(1)] })).outlook!.touch!.by).to.equal(undefined);
  });

  it('of near levels is the lower, the longer the time between prices: they are passed unseen', async () => {
    const { forecaster } = drawn(0);
    const near = async (gapUs: number): Promise<number> => {
      const { prices } = REQUEST.series;
      const timesUs = prices.map((_, i) => 1.7e15 + i * gapUs);
      const request = { series: { timesUs, prices }, futureUs: timesUs.at(-1)! + 120e6 };
      return (await forecaster.forecast(request, { touch: [at(1e-3)] })).outlook!.touch!.levels[0].version_probability!;
    };
    const [often, seldom] = [await near(0.2e6), await near(2e6)];
    expect(seldom).to.be.below(often - 0.05);
  });

  it('of bars that show every price is likelier near the price and less likely far from it, the more so the longer the horizon', () => {
    const ends = new ThresholdCurve([0, 3], [2, -6]);
    const chances = (gapS: number, horizonS: number) => {
      const curve = touchSides([null, ends], { horizonS, gapS, noise: 0, sigma: 1 })[1]!;
      return [0, 3].map((at) => curve.at(at));
    };
    const differences = [300, 1800, 7200, 86_400].map((horizonS) => {
      const [bars, ticks] = [chances(0, horizonS), chances(1e-9 * horizonS, horizonS)];
      return bars.map((logOdds, at) => logOdds - ticks[at]);
    });
    for (const [near, far] of differences) expect([near > 0.1, far < -0.1]).to.deep.equal([true, true]);
    const nears = differences.map(([near]) => near);
    expect(nears[0]).to.be.below(nears[1]);
    expect(nears[1]).to.be.below(nears[2]);
    expect(nears[3], 'beyond two hours nothing was measured').to.be.closeTo(nears[2], 1e-4);
  });

  it('of two on one side, gives all to the nearer one', async () => {
    const { forecaster } = drawn(0);
    const { levels, neither } = (await forecaster.forecast(REQUEST, { touch: [at(2), at(1)], first: true })).outlook!.touch!;
    expect(levels.map(({ first }) => first)).to.deep.equal([0, levels[1].probability]);
    expect(neither).to.equal(1 - levels[1].probability!);
  });

  it('is corrected by the outcomes of the series that asked, towards what happened', async () => {
    // Far wilder than the fake network says.
    const series = walkTicks({ seed: 5, count: 4000 });
    const { forecaster } = drawn(-2);
    const memory = new SeriesMemory();
    const prices = (last: number) => [1, -1].map((side) => last * Math.exp(side * 5e-5));
    let known = 0;
    let touch;
    let reached = 0;
    for (let origin = 400; origin < 4000; origin += 60) {
      memory.add(series, known, origin + 1);
      known = origin + 1;
      const window = { timesUs: series.timesUs.slice(known - 400, known), prices: series.prices.slice(known - 400, known) };
      const request = { series: window, futureUs: series.timesUs[origin] + 10e6 };
      const { originMs, horizonMs } = originOf(request);
      const options = { touch: prices(series.prices[origin]), memory: memory.view(horizonMs) };
      const { outlook, remembered } = await forecaster.forecast(request, options);
      if (memory.lastMs === originMs) memory.forecast({ horizonMs, ...remembered! });
      touch = outlook!.touch!;
      reached++;
    }
    expect(touch!.outcomes).to.be.within(20, reached);
    expect(touch!.levels[0].probability).to.be.above(touch!.levels[0].version_probability! + 0.03);
    expect(touch!.reach[2].coverage!.outcomes).to.equal(touch!.outcomes);
  });

  it('refuses prices that are none, too many, one twice, and first of other than two', async () => {
    const { forecaster } = drawn(0);
    const refused: readonly (readonly [ForecastOptions, string])[] = [
      ...[0, -1, NaN, 1e12].map((price) => [{ touch: [price] }, '?touch'] as const),
      [{ touch: [1, 1] }, '?touch'],
      [{ touch: Array.from({ length: 17 }, (_, i) => 1 + i) }, '?touch'],
      [{ touch: [1], first: true }, '?first'],
      [{ first: true }, '?first'],
    ];
    for (const [options, pointer] of refused) {
      const { errors } = await serviceErrorOf(forecaster.forecast(REQUEST, options));
      expect([errors?.[0]?.pointer, errors?.[0]?.code], JSON.stringify(options)).to.deep.equal([pointer, 'touch.out_of_range']);
    }
  });
});
