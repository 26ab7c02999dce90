import { expect } from 'chai';
import fc from 'fast-check';
import type { ForecastCall, TickForecast } from '../../../../src/engine/forecast/Forecaster.ts';
import { originOf } from '../../../../src/engine/forecast/memoryAt.ts';
import { correctionOf, RANGE_LEVELS } from '../../../../src/engine/memory/ranges.ts';
import { SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';
import { fakeForecaster, MEMORY_LINE, tickRequest } from '../../../support/fakeForecaster.ts';
import { walkTicks } from '../../../support/walkTicks.ts';

const REQUEST = tickRequest();
const LAST = REQUEST.series.prices.at(-1)!;
const RANGE = { trained: { logThetaRatio: [-1.4, 2.1] as [number, number] } };
/** A residual by seed, so that the probabilities of different windows differ. */
const drawn = (residual: number) =>
  fakeForecaster({
    ...RANGE,
    memory: MEMORY_LINE,
    answer: (row) => ({ baselineLogit: 2 * row.baseline - 1, residualLogit: residual, directionLogit: 0 }),
  });
const outlookOf = async (forecast: Promise<TickForecast>) => (await forecast).outlook!;

describe('ranges and the chance above a price', () => {
  it('end at the threshold that is passed with the rest of the probability, and are wider for higher levels', async () => {
    let known = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: -1.5, max: 1.5, noNaN: true }),
        fc.uniqueArray(fc.integer({ min: 50, max: 99 }), { minLength: 1, maxLength: 8 }),
        async (residual, percents) => {
          const { forecaster } = drawn(residual);
          const levels = percents.map((percent) => percent / 100);
          const { range } = await outlookOf(forecaster.forecast(REQUEST, { range: levels }));
          expect(range!.map(({ level }) => level)).to.deep.equal(levels);
          for (const band of range!) {
            if (band.move_bps === null) {
              expect(band).to.deep.equal({
                level: band.level,
                move_bps: null,
                low: null,
                high: null,
                reason: 'range_untrained',
                coverage: null,
              });
              continue;
            }
            known++;
            const { summary } = await forecaster.forecast(REQUEST, { minMoveBps: band.move_bps });
            expect(summary.probability).to.be.closeTo(1 - band.level, 1e-9);
            expect(band.high! / LAST).to.be.closeTo(Math.exp(band.move_bps / 1e4), 1e-9);
            expect(band.low! / LAST).to.be.closeTo(Math.exp(-band.move_bps / 1e4), 1e-9);
          }
          const widths = range!.filter(({ move_bps: bps }) => bps !== null).toSorted((a, b) => a.level - b.level);
          expect(widths).to.deep.equal(widths.toSorted((a, b) => a.move_bps! - b.move_bps!));
        },
      ),
      { numRuns: 40 },
    );
    expect(known).to.be.above(60);
  });

  it('gives half of the chance of a larger move to each side, falling with the price, 0.5 at the last one', async () => {
    const { forecaster } = drawn(0.3);
    const chance = async (price: number) => (await outlookOf(forecaster.forecast(REQUEST, { above: price }))).above!;
    expect(await chance(LAST)).to.deep.equal({ price: LAST, probability: 0.5, reason: null });
    let last = 1;
    for (let step = -12; step <= 12; step++) {
      const { probability } = await chance(LAST * Math.exp(step * 2e-5));
      expect(probability).to.be.at.most(last);
      last = probability!;
    }
    const { minMoveBps } = (await forecaster.forecast(REQUEST)).summary;
    for (const factor of [0.1, 0.7, 1, 3]) {
      const bps = factor * minMoveBps!;
      const [up, down] = [await chance(LAST * Math.exp(bps / 1e4)), await chance(LAST * Math.exp(-bps / 1e4))];
      expect(up.probability! + down.probability!).to.be.closeTo(1, 1e-9);
      const { summary } = await forecaster.forecast(REQUEST, { minMoveBps: bps });
      expect(up.probability).to.be.closeTo(summary.probability! / 2, 1e-9);
    }
    expect(await chance(LAST * 2)).to.deep.equal({ price: LAST * 2, probability: null, reason: 'range_untrained' });
  });

  it('is asked for by name, and stands in the explanation too', async () => {
    const { forecaster } = drawn(0);
    const plain = await forecaster.forecast(REQUEST, { detail: true });
    expect(plain).to.not.have.property('outlook');
    expect(plain.detail).to.not.have.any.keys('range', 'above');
    const { outlook, detail, summary } = await forecaster.forecast(REQUEST, { detail: true, range: [0.8], above: LAST });
    expect(Object.keys(outlook!)).to.deep.equal(['range', 'above']);
    expect(detail).to.deep.include({ range: outlook!.range, above: outlook!.above });
    expect([detail!.counterfactual, summary]).to.deep.equal([plain.detail!.counterfactual, plain.summary]);
  });

  it('is not given where the probabilities say nothing, with the reason', async () => {
    const asked: ForecastCall = { range: [0.5, 0.9], above: LAST };
    const flat = { series: { timesUs: REQUEST.series.timesUs, prices: REQUEST.series.prices.map(() => 1) }, futureUs: REQUEST.futureUs };
    const far = { ...REQUEST, futureUs: REQUEST.series.timesUs.at(-1)! + 7200e6 };
    for (const [request, reason] of [
      [flat, 'constant_price'],
      [far, 'horizon_untrained'],
    ] as const) {
      const { range, above } = await outlookOf(drawn(0).forecaster.forecast(request, asked));
      expect(range!.map((band) => [band.level, band.move_bps, band.reason])).to.deep.equal([
        [0.5, null, reason],
        [0.9, null, reason],
      ]);
      expect(above).to.deep.equal({ price: LAST, probability: null, reason });
    }
  });

  it('is corrected between the levels that are kept, whatever else is asked for', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 3, maxLength: 3 }),
        fc.array(fc.double({ min: 1e-5, max: 1e-2, noNaN: true }), { minLength: 3, maxLength: 3 }),
        fc.integer({ min: 0, max: 7 }),
        (shifts, drawnMoves, unknown) => {
          const moves = drawnMoves.toSorted((a, b) => a - b).map((move, at) => ((unknown >> at) & 1 ? NaN : move));
          const corrected = correctionOf({ shifts, outcomes: [], covered: [] }, moves);
          let last = 0;
          for (let step = 0; step < 60; step++) {
            const move = corrected(1e-6 * 1.2 ** step);
            expect(move).to.be.at.least(last * (1 - 1e-12));
            last = move;
          }
          const first = moves.findIndex(Number.isFinite);
          if (first < 0) expect(corrected(1e-3)).to.equal(1e-3);
          else expect(corrected(moves[first])).to.be.closeTo(moves[first] * Math.exp(shifts[first]), 1e-9 * Math.exp(3));
        },
      ),
    );
  });

  it('keeps its level in the long run on a series that the version gets wrong', async () => {
    const ticks = walkTicks({ seed: 8, count: 30_000, maxSteps: 3 });
    const { forecaster } = drawn(-1.2);
    const memory = new SeriesMemory();
    let known = 0;
    const hits = { raw: 0, corrected: 0, of: 0 };
    let lastMs = 0;
    for (let end = 300; end < 29_000; end += 25) {
      const window = { timesUs: ticks.timesUs.subarray(end - 300, end), prices: ticks.prices.subarray(end - 300, end) };
      const request = { series: window, futureUs: window.timesUs.at(-1)! + 10_000_000 };
      const { originMs, horizonMs } = originOf(request);
      if (originMs < lastMs + 11_000) continue;
      lastMs = originMs;
      memory.add(ticks, known, end);
      known = end;
      const { outlook, remembered } = await forecaster.forecast(request, { range: [0.8], memory: memory.view(horizonMs) });
      const alone = await outlookOf(forecaster.forecast(request, { range: [0.8] }));
      if (remembered !== undefined) memory.forecast({ horizonMs, ...remembered });
      const endMs = originMs + horizonMs;
      const prices = [];
      for (let i = end; Math.floor(ticks.timesUs[i] / 1000) <= endMs; i++)
        if (Math.floor(ticks.timesUs[i] / 1000) >= originMs + 1000) prices.push(ticks.prices[i]);
      const bps = prices.length === 0 ? 0 : Math.abs(Math.log(prices.at(-1)! / prices[0])) * 1e4;
      const [band, raw] = [outlook!.range![0], alone.range![0]];
      if (band.move_bps === null || raw.move_bps === null) continue;
      hits.of++;
      if (bps <= band.move_bps) hits.corrected++;
      if (bps <= raw.move_bps) hits.raw++;
    }
    expect(hits.of).to.be.above(500);
    expect(Math.abs(hits.raw / hits.of - 0.8)).to.be.above(0.05);
    expect(hits.corrected / hits.of).to.be.closeTo(0.8, 0.02);
    const { ranges } = memory.view(10_000);
    const at = RANGE_LEVELS.indexOf(0.8);
    expect(ranges.covered[at] / ranges.outcomes[at]).to.be.closeTo(hits.corrected / hits.of, 0.02);
    const loaded = SeriesMemory.load(memory.save()).view(10_000).ranges;
    expect(loaded).to.deep.equal(ranges);
  });
});
