import { expect } from 'chai';
import fc from 'fast-check';
import { labelOrigin } from '../../src/engine/features/labelOrigin.ts';
import { sessionGapS } from '../../src/engine/features/sessionGap.ts';
import type { MemoryView } from '../../src/engine/memory/MemoryView.ts';
import { SeriesMemory } from '../../src/engine/memory/SeriesMemory.ts';
import { isPause, OutcomeTracker } from '../../src/engine/live/OutcomeTracker.ts';
import { BAR_MODEL, fakeForecaster, MEMORY_LINE } from '../support/fakeForecaster.ts';
import { barRequest, type Bars, walkBars } from '../support/walkBars.ts';

const RATIOS = Array.from({ length: 15 }, (_, i) => 0.2 * 50 ** (i / 14));
const drawn = fc.record({
  seed: fc.integer({ min: 1, max: 1e6 }),
  periodMs: fc.constantFrom(10_000, 60_000, 300_000),
  missing: fc.constantFrom(0, 0.1, 0.6),
  nights: fc.boolean(),
});
const HORIZONS = fc.constantFrom(5, 6, 24);

/** What the bars [0, end) say with the memory of all of them. */
function memoryAt({ series, bars }: Bars, end: number, horizonMs: number): MemoryView {
  const memory = new SeriesMemory(bars.periodMs);
  memory.add(series, 0, end);
  return memory.view(horizonMs);
}

/** Bars from `from` on replaced by other ones. */
function changedFrom({ series, bars }: Bars, from: number): Bars {
  const other = (values: Float64Array): Float64Array => values.map((value, i) => (i < from ? value : value * (1.5 + 0.1 * (i % 3))));
  const { open, high, low } = bars.ranges;
  return {
    series: { timesUs: series.timesUs, prices: other(series.prices) },
    bars: { ...bars, ranges: { open: other(open), high: other(high), low: other(low) } },
  };
}

describe('forecasts from bars', () => {
  const { forecaster } = fakeForecaster({ memory: MEMORY_LINE, bars: BAR_MODEL });

  it('are finite and fall with the threshold, with missing bars, nights and a memory', async () => {
    await fc.assert(
      fc.asyncProperty(drawn, HORIZONS, fc.boolean(), async ({ seed, periodMs, missing, nights }, periods, remembers) => {
        const horizonMs = periods * periodMs;
        const bars = walkBars({ count: 900, seed, periodMs, missing, nights });
        const request = barRequest(bars, horizonMs, 500);
        const memory = remembers ? { memory: memoryAt(bars, 900, horizonMs) } : {};
        const { summary } = await forecaster.forecast(request, memory);
        let before = 1;
        for (const ratio of RATIOS) {
          const { detail } = await forecaster.forecast(request, { ...memory, detail: true, minMoveBps: summary.minMoveBps! * ratio });
          const { probability } = detail!.opportunity;
          expect(probability).to.be.within(0, before);
          before = probability!;
          expect(Object.values(detail!.logit!).every(Number.isFinite)).to.equal(true);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('read no bar that had not ended: with other bars after the origin, no bit differs', async () => {
    await fc.assert(
      fc.asyncProperty(drawn, HORIZONS, fc.integer({ min: 300, max: 899 }), async (shape, periods, end) => {
        const horizonMs = periods * shape.periodMs;
        const bars = walkBars({ count: 900, ...shape });
        const answers = [];
        for (const one of [bars, changedFrom(bars, end)]) {
          // The owner of the bars may have later ones in the same arrays.
          const request = barRequest(one, horizonMs, Math.max(0, end - 500), end);
          const options = { detail: true, range: [0.5, 0.9], memory: memoryAt(one, end, horizonMs) };
          // Data alone: the functions of two forecasts differ.
          answers.push(JSON.stringify(await forecaster.forecast(request, options)));
        }
        expect(answers[1]).to.equal(answers[0]);
      }),
      { numRuns: 60 },
    );
  });

  it('have the same outcome in live series as in training, from close to close', () => {
    fc.assert(
      fc.property(drawn, HORIZONS, ({ seed, periodMs, missing, nights }, periods) => {
        const horizonMs = periods * periodMs;
        const { series } = walkBars({ count: 300, seed, periodMs, missing, nights });
        const tracker = new OutcomeTracker<number>(horizonMs, periodMs);
        series.timesUs.forEach((us, i) => {
          tracker.push(us / 1000, series.prices[i], (origin, { move, longestGapMs }) => {
            const label = labelOrigin(series, origin, horizonMs / 1000, sessionGapS(0, periodMs), periodMs);
            expect(isPause(longestGapMs, null, periodMs)).to.equal(label.status === 'dropped');
            if (label.status === 'ok') expect(move).to.equal(label.move);
          });
          tracker.add(i);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('have a memory that does not depend on how the bars arrive, or on being saved', () => {
    fc.assert(
      fc.property(drawn, fc.integer({ min: 1, max: 299 }), ({ seed, periodMs, missing, nights }, middle) => {
        const { series } = walkBars({ count: 300, seed, periodMs, missing, nights });
        const whole = new SeriesMemory(periodMs);
        whole.add(series);
        const parts = new SeriesMemory(periodMs);
        parts.add(series, 0, middle);
        const loaded = SeriesMemory.load(parts.save());
        expect(loaded.periodMs).to.equal(periodMs);
        loaded.join({ timesUs: series.timesUs.subarray(middle - 1), prices: series.prices.subarray(middle - 1) });
        expect(loaded.save()).to.deep.equal(whole.save());
      }),
      { numRuns: 60 },
    );
  });

  it('have moves on the grid of the clock from close to close', () => {
    const { series } = walkBars({ count: 600 });
    const memory = new SeriesMemory(60_000);
    memory.add(series);
    const { moves } = memory.view(1_800_000);
    // The first bar ends at 0:01, so the first whole half hour begins at 0:30, with bar 29.
    const expected = Array.from({ length: 19 }, (_, k) => Math.abs(Math.log(series.prices[59 + 30 * k] / series.prices[29 + 30 * k])));
    expect(moves.length).to.equal(expected.length);
    expected.forEach((move, i) => expect(moves[i]).to.be.closeTo(move, 1e-8));
  });
});
