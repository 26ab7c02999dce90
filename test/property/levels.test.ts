import { expect } from 'chai';
import fc from 'fast-check';
import { FeatureBuilder } from '../../src/engine/features/FeatureBuilder.ts';
import { labelOrigin } from '../../src/engine/features/labelOrigin.ts';
import { measureBars } from '../../src/engine/features/measureBars.ts';
import { LiveSeries, type LiveOutcome, OutcomeBudget } from '../../src/engine/live/LiveSeries.ts';
import { SeriesMemory } from '../../src/engine/memory/SeriesMemory.ts';
import { seededRandom } from '../../src/core/Random.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';

const COUNT = 900;
const START_US = Date.UTC(2025, 2, 4, 14, 30) * 1000;

/** Ticks about every `stepUs`, whose price is `factor` times as high from tick `at` on, for `ticks` ticks. */
function ticksOf(seed: number, { factor = 1, at = 0, ticks = COUNT, stepUs = 400_000, size = 4e-5, uneven = 0.5 } = {}): TickSeries {
  const random = seededRandom(seed);
  let [log, timeUs] = [Math.log(480), START_US];
  const timesUs = new Float64Array(COUNT);
  const prices = new Float64Array(COUNT);
  for (let i = 0; i < COUNT; i++) {
    timesUs[i] = timeUs += 1000 * Math.round((stepUs / 1000) * (1 + uneven * (random.uniform() - 0.5)));
    prices[i] = Math.exp((log += size * random.normal())) * (i >= at && i < at + ticks ? factor : 1);
  }
  return { timesUs, prices };
}

const seeds = fc.integer({ min: 1, max: 1e6 });
/** Splits and units, up and down; a move of 1,000 typical ones. */
const factors = fc.constantFrom(0.25, 0.5, 2 / 3, 0.8, 1.25, 1.5, 2, 4, 10, 0.1, 100, 0.01);
const cut = ({ timesUs, prices }: TickSeries, from: number, to: number): TickSeries => ({
  timesUs: timesUs.subarray(from, to),
  prices: prices.subarray(from, to),
});
const readOf = (series: TickSeries): unknown => {
  const read = new FeatureBuilder().read(series, 0, series.timesUs.length, series.timesUs.at(-1)! + 60e6);
  return typeof read === 'string' ? read : 'read';
};

describe('a change of level', () => {
  it('leaves a window of ticks without features, wherever it is, and a large move of the market does not', () => {
    fc.assert(
      fc.property(seeds, factors, fc.integer({ min: 1, max: COUNT - 1 }), (seed, factor, at) => {
        expect(readOf(ticksOf(seed, { factor, at })), `${factor} at ${at}`).to.equal('level_changed');
        expect(readOf(ticksOf(seed, { factor: 1 + 0.03 * (factor > 1 ? 1 : -1), at }))).to.equal('read');
        expect(readOf(ticksOf(seed, { size: 0.004 }))).to.equal('read');
      }),
      { numRuns: 40 },
    );
  });

  it('leaves a window of bars without measures, within a session only', () => {
    const bars = { stepUs: 60e6, uneven: 0, size: 4e-4 };
    fc.assert(
      fc.property(seeds, fc.constantFrom(0.25, 0.5, 2, 4, 10, 0.1), fc.integer({ min: 1, max: COUNT - 1 }), (seed, factor, at) => {
        const series = ticksOf(seed, { factor, at, ...bars });
        expect(measureBars(series, { periodMs: 60_000 }, 300_000), `${factor} at ${at}`).to.equal('level_changed');
        // Overnight, moves do not count.
        const night = series.timesUs.map((us, i) => (i < at ? us : us + 17 * 3600e6));
        expect(measureBars({ ...series, timesUs: night }, { periodMs: 60_000 }, 300_000)).to.be.an('object');
      }),
      { numRuns: 40 },
    );
  });

  it('has no outcome over it, in a live series as in a label, and the memory begins again there', () => {
    fc.assert(
      fc.property(seeds, factors, fc.integer({ min: 300, max: COUNT - 300 }), (seed, factor, at) => {
        const ticks = ticksOf(seed, { factor, at });
        const memory = new SeriesMemory();
        const outcomes: LiveOutcome[] = [];
        const origins: number[] = [];
        const series = new LiveSeries(
          [{ id: '10s', horizonMs: 10_000, everyMs: 3000, options: { minMoveBps: 1 } }],
          {
            due(due) {
              origins.push(ticks.timesUs.indexOf(due.window.timesUs.at(-1)!));
              const summary = {
                ...{ model: 'base', probability: 0.6, baselineProbability: 0.3, decisionThreshold: 0.5, minMoveBps: 1, reasons: [] },
                medianGapS: 0.4,
              };
              series.answer(due, { mark: 1, summary });
            },
            outcome: (outcome) => void outcomes.push(outcome),
            tally: () => {},
          },
          new OutcomeBudget(4096),
          { memory },
        );
        for (let i = 0; i < COUNT; i++) series.push(ticks.timesUs[i], ticks.prices[i]);
        let across = 0;
        for (const { n, reason, moveBps } of outcomes) {
          const label = labelOrigin(ticks, origins[n], 10, 1800);
          expect(reason).to.equal(label.status === 'dropped' ? label.why : null);
          if (reason === 'level_changed') across++;
          else expect(Math.abs(moveBps!)).to.be.below(100);
        }
        expect(across).to.be.within(2, 5);
        const fresh = new SeriesMemory();
        fresh.add(cut(ticks, at, COUNT));
        expect(memory.sinceMs).to.equal(fresh.sinceMs);
        expect(memory.minutes.meanSquares()).to.deep.equal(fresh.minutes.meanSquares());
        expect(memory.view(10_000).moves).to.deep.equal(fresh.view(10_000).moves);
      }),
      { numRuns: 20 },
    );
  });

  it('begins the memory of requests again, however they divide the ticks, and a wrong price does not', () => {
    fc.assert(
      fc.property(seeds, factors, fc.integer({ min: 300, max: COUNT - 300 }), fc.integer({ min: 1, max: 90 }), (seed, factor, at, step) => {
        const joined = (ticks: TickSeries): SeriesMemory => {
          const memory = new SeriesMemory();
          for (let to = 200; to <= COUNT; to += step) memory.join(cut(ticks, to - 200, to));
          return memory;
        };
        const fresh = joined(ticksOf(seed, { factor, at })).sinceMs;
        const { timesUs } = ticksOf(seed);
        expect(fresh).to.equal(Math.floor(timesUs[at] / 1000));
        expect(joined(ticksOf(seed, { factor, at, ticks: 1 })).sinceMs).to.equal(Math.floor(timesUs[0] / 1000));
      }),
      { numRuns: 20 },
    );
  });
});
