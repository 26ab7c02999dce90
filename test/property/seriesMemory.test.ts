import { expect } from 'chai';
import fc from 'fast-check';
import { NOTHING_SEEN, withValue, withZeros } from '../../src/engine/memory/FadingMean.ts';
import { FloatRing } from '../../src/engine/memory/FloatRing.ts';
import { MEMORY_HORIZONS_S } from '../../src/engine/memory/newHorizons.ts';
import { SeriesMemory } from '../../src/engine/memory/SeriesMemory.ts';
import { END_US } from '../../src/ticks/timestamps.ts';
import { WalkingMemory } from '../support/WalkingMemory.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
const CENTURY = 36_500 * DAY;
/** Around the silences, minutes and pauses that the memory tells apart, and far beyond them. */
const GAPS = [0, 1, 300, 999, SECOND, 5 * SECOND, MINUTE - 1, MINUTE, MINUTE + 1, 119_999, 10 * MINUTE, 30 * MINUTE - 1, 30 * MINUTE];
const LONG_GAPS = [30 * MINUTE + 1, HOUR, DAY, CENTURY];
const PERIODS = [SECOND, 7 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, HOUR, 6 * HOUR, DAY - SECOND, DAY];
const HORIZONS_MS = MEMORY_HORIZONS_S.map((seconds) => seconds * SECOND);
const THETA = 2e-5;

/** Most gaps of a series are alike, as those of a market are. */
const series = fc.record({
  startMs: fc.integer({ min: 1, max: 40 * DAY }),
  usual: fc.constantFrom(...GAPS),
  gaps: fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.constantFrom(...GAPS, ...LONG_GAPS)), { minLength: 30, maxLength: 200 }),
  moves: fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 5, maxLength: 20 }),
  every: fc.integer({ min: 2, max: 30 }),
});
type Drawn = typeof series extends fc.Arbitrary<infer Value> ? Value : never;

const same = (memory: SeriesMemory, walked: WalkingMemory, horizonMs: number): void => {
  const { moves, squares, outcomes } = memory.view(horizonMs);
  const { profile } = memory.minutes;
  expect([...moves]).to.deep.equal(walked.moves.slice(-400));
  expect(memory.minutes.count).to.equal(Math.min(1440, walked.squares.length));
  const hour = walked.squares.slice(-60).reverse();
  if (hour.length < 60) expect(squares).to.equal(null);
  else expect(squares!.hour).to.equal(hour.reduce((sum, square) => sum + square, 0) / 60);
  expect([...profile.values()]).to.deep.equal(walked.values());
  expect(walked.days.map((_, slot) => profile.daysAt(slot * 5 * MINUTE))).to.deep.equal(walked.days);
  expect(outcomes.count).to.equal(walked.outcomes.length);
  expect(outcomes.meanOutcome).to.be.closeTo(walked.outcomes.filter(Boolean).length / Math.max(1, walked.outcomes.length), 1e-12);
};

const FORECAST = { theta: THETA, probability: 0.3, version: 1, hour: 0.1, day: 0.2, hours: NaN, week: NaN };

describe('SeriesMemory', () => {
  it('knows of ticks what walking through every empty move, minute and day says, bit for bit', () => {
    fc.assert(
      fc.property(series, fc.nat({ max: HORIZONS_MS.length - 1 }), (drawn, horizon) => walk(drawn, 0, HORIZONS_MS[horizon])),
      { numRuns: 150 },
    );
  });

  it('knows of bars what walking through every empty move, minute and day says, bit for bit', () => {
    fc.assert(
      fc.property(series, fc.constantFrom(...PERIODS), fc.constantFrom(HOUR, 30 * MINUTE, 2 * HOUR), (drawn, periodMs, horizonMs) =>
        walk(drawn, periodMs, new SeriesMemory(periodMs).horizonOf(horizonMs).horizonMs),
      ),
      { numRuns: 150 },
    );
  });
});

function walk({ startMs, usual, gaps, moves, every }: Drawn, periodMs: number, horizonMs: number): void {
  let memory = new SeriesMemory(periodMs);
  const walked = new WalkingMemory(periodMs, horizonMs);
  const toGrid = (ms: number): number => (periodMs === 0 ? ms : Math.ceil(ms / periodMs) * periodMs);
  let [ms, price] = [toGrid(startMs), 100];
  const push = (): void => {
    memory.push(ms * 1000, price);
    walked.push(ms, price);
  };
  for (const [i, [odd, gapMs]] of gaps.entries()) {
    ms += toGrid(odd < 7 ? usual : gapMs);
    price *= 1 + 1e-5 * moves[i % moves.length];
    push();
    // Of the years that a stored memory may have.
    if (i % every === 1 && ms * 1000 < END_US) memory = SeriesMemory.load(memory.save());
    if (i % every > 0) continue;
    memory.forecast({ ...FORECAST, horizonMs });
    walked.forecast(THETA);
  }
  // After a pause, nothing is due at the last tick.
  ms += toGrid(3 * DAY);
  push();
  same(memory, walked, horizonMs);
}

describe('FloatRing', () => {
  it('is the same after zeros at once as after each of them', () => {
    const part = fc.record({ values: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 9 }), zeros: fc.nat({ max: 20 }) });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const [one, each] = [new FloatRing(7), new FloatRing(7)];
        for (const { values, zeros } of parts) {
          for (const ring of [one, each]) values.forEach((value) => ring.push(value));
          one.pushZeros(zeros);
          for (let i = 0; i < zeros; i++) each.push(0);
          const [a, b] = [new Float64Array(7), new Float64Array(7)];
          expect([one.copyNewest(a, 0), a]).to.deep.equal([each.copyNewest(b, 0), b]);
        }
      }),
    );
  });
});

describe('a fading mean', () => {
  it('is the same after zeros at once as after each of them', () => {
    const part = fc.record({ value: fc.double({ min: 0, max: 1, noNaN: true }), zeros: fc.nat({ max: 40 }) });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 9 }), fc.integer({ min: 1, max: 30 }), (parts, most) => {
        let [one, each] = [NOTHING_SEEN, NOTHING_SEEN];
        for (const { value, zeros } of parts) {
          one = withZeros(withValue(one, value, most), zeros, most);
          each = withValue(each, value, most);
          for (let i = 0; i < zeros; i++) each = withValue(each, 0, most);
          expect(one.seen).to.equal(each.seen);
          expect(one.mean).to.be.closeTo(each.mean, 1e-12);
        }
      }),
    );
  });
});
