import { expect } from 'chai';
import fc from 'fast-check';
import { seededRandom } from '../../../../src/core/Random.ts';
import { followTouches, labelOrigin } from '../../../../src/engine/features/labelOrigin.ts';
import { Touches } from '../../../../src/engine/features/Touches.ts';
import { OutcomeTracker } from '../../../../src/engine/live/OutcomeTracker.ts';
import { SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';
import { NO_TOUCHES, withTouches } from '../../../../src/engine/memory/TouchOutcomes.ts';
import { firstReached } from '../../../../src/engine/scoring/firstPassage.ts';
import { normalTail } from '../../../../src/engine/scoring/normal.ts';
import { wilsonInterval } from '../../../../src/engine/scoring/wilsonInterval.ts';
import type { TickSeries } from '../../../../src/ticks/TickSeries.ts';
import { msOf, originsOf, walk } from '../memory/series.ts';

const HORIZON_MS = 10_000;

/** The definition, word by word: prices of their millisecond after the entry, which is the first one 1 s after the origin, up to the end. */
function pricesAfterEntry(series: TickSeries, origin: number): number[] {
  const startMs = msOf(series, origin);
  const last = new Map<number, number>();
  for (let at = 0; at < series.timesUs.length; at++) last.set(msOf(series, at), series.prices[at]);
  const within = [...last].filter(([ms]) => ms >= startMs + 1000 && ms <= startMs + HORIZON_MS);
  return within.slice(1).map(([, price]) => price);
}

describe('whether a price is reached', () => {
  it('is the same by the definition, of a file, in the memory of a series, and of live forecasts', () => {
    let [reached, settled] = [0, 0];
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.constantFrom(80, 700, 4000), (seed, meanGapMs) => {
        const series = walk(seed, 500, meanGapMs);
        const memory = new SeriesMemory();
        const tracker = new OutcomeTracker<Touches>(HORIZON_MS);
        const live: Touches[] = [];
        const ofFile: Touches[] = [];
        let pushed = 0;
        const pushTo = (end: number): void => {
          for (; pushed < end; pushed++) tracker.push(msOf(series, pushed), series.prices[pushed], (touches) => live.push(touches));
        };
        let [known, expected, openUntilMs] = [0, NO_TOUCHES, -Infinity];
        for (const origin of originsOf(series, 30)) {
          const label = labelOrigin(series, origin, HORIZON_MS / 1000, 1800);
          if (label.status === 'dropped' || msOf(series, origin) < openUntilMs) continue;
          const lastPrice = series.prices[origin];
          const levels = [4e-5, -4e-5, 1.5e-4, -1.5e-4].map((move) => lastPrice * Math.exp(move));
          const touches = new Touches(lastPrice, levels);
          followTouches(series, label, touches);
          const after = pricesAfterEntry(series, origin);
          expect(touches.touched).to.deep.equal(levels.map((level) => after.some((price) => (level > lastPrice ? price >= level : price <= level)))); // prettier-ignore
          const first = after.find((price) => price >= levels[0] || price <= levels[1]);
          expect(touches.first).to.equal(first === undefined ? null : first > lastPrice ? 0 : 1);
          reached += touches.touched.filter(Boolean).length;

          pushTo(origin + 1);
          const followed = new Touches(lastPrice, levels);
          tracker.add(followed, followed);
          ofFile.push(touches);

          memory.add(series, known, origin + 1);
          known = origin + 1;
          expect(memory.view(HORIZON_MS).touches).to.deep.equal(expected);
          const question = { sigma: 6e-5, logOdds: [0.3, -1, NaN], reach: [6e-5, 1e-4, 1.5e-4] };
          const made = { theta: 1e-5, probability: 0.5, version: 1, hour: NaN, day: NaN, hours: NaN, week: NaN };
          memory.forecast({ horizonMs: HORIZON_MS, ...made, touches: question });
          openUntilMs = msOf(series, origin) + HORIZON_MS;
          const up = after.length === 0 ? -Infinity : Math.log(Math.max(...after) / lastPrice);
          const down = after.length === 0 ? Infinity : Math.log(Math.min(...after) / lastPrice);
          expected = withTouches(expected, question, { up, down });
        }
        pushTo(series.timesUs.length);
        const found = ({ touched, first, extremes }: Touches) => ({ touched, first, extremes });
        expect(live.map(found)).to.deep.equal(ofFile.slice(0, live.length).map(found));
        settled += live.length;
      }),
      { numRuns: 25 },
    );
    expect(reached).to.be.above(100);
    expect(settled).to.be.above(100);
  });

  it('is not clear where one bar reaches a level on each side, and of two on one side the nearer comes first', () => {
    const at = (levels: readonly number[], ...bars: readonly (readonly [number, number])[]) => {
      const touches = new Touches(100, levels);
      for (const [low, high] of bars) touches.add(low, high);
      return [touches.touched, touches.first];
    };
    expect(at([101, 99], [98, 102])).to.deep.equal([[true, true], 'unclear']);
    expect(at([101, 99], [99.5, 101], [98, 102])).to.deep.equal([[true, true], 0]);
    expect(at([102, 101], [100, 103])).to.deep.equal([[true, true], 1]);
    expect(at([100], [99, 99.5])).to.deep.equal([[false], null]);
  });
});

describe('touches of a random walk', () => {
  const STEP_MS = 100;
  const SIGMA = 1e-4;
  const HORIZON_S = 60;
  /** Random times between ticks would pass levels unseen, so the walk is seen often: distances are further by 0.58 steps (Broadie, Glasserman, Kou, 1997). */
  const further = 0.5826 * SIGMA * Math.sqrt(STEP_MS / 1000);

  /** Prices of a walk, each moved up or down by `bounce`. */
  function randomWalk(count: number, bounce: number): TickSeries {
    const random = seededRandom(7);
    let log = Math.log(100);
    const prices = Float64Array.from({ length: count }, () => {
      log += SIGMA * Math.sqrt(STEP_MS / 1000) * random.normal();
      return Math.exp(log + (random.uniform() < 0.5 ? bounce : -bounce));
    });
    return { timesUs: prices.map((_, at) => 1.7e15 + at * STEP_MS * 1000), prices };
  }

  /** Counts of levels at these distances, in standard deviations, that were reached, and which of the first two was first. */
  function count(bounce: number, distances: readonly number[]) {
    const perWindow = (HORIZON_S * 1000) / STEP_MS;
    const series = randomWalk(perWindow * 3000, bounce);
    const unit = SIGMA * Math.sqrt(HORIZON_S - 1);
    const touched = distances.map(() => 0);
    const first = [0, 0, 0];
    let windows = 0;
    for (let origin = 0; origin < series.timesUs.length - perWindow; origin += perWindow) {
      const label = labelOrigin(series, origin, HORIZON_S, 1800);
      if (label.status === 'dropped') continue;
      const from = series.prices[label.entry!];
      const levels = distances.map((distance) => from * Math.exp(Math.sign(distance) * (Math.abs(distance) * unit - further)));
      const touches = new Touches(from, levels);
      followTouches(series, label, touches);
      for (const [at, isReached] of touches.touched.entries()) touched[at] += isReached ? 1 : 0;
      first[touches.first === null ? 2 : levels[touches.first as number] > from ? 0 : 1] += 1;
      windows++;
    }
    return { touched, first, windows };
  }

  it('have the closed form within their interval, and which level is first too', () => {
    for (const pair of [
      [0.5, -1],
      [1.5, -1],
    ] as const) {
      const { touched, first, windows } = count(0, pair);
      const chances = pair.map((distance) => 2 * normalTail(Math.abs(distance)));
      const { upper, lower, neither } = firstReached(chances[0], chances[1]);
      for (const [hits, chance] of [
        ...touched.map((hits, at) => [hits, chances[at]]),
        ...first.map((hits, at) => [hits, [upper, lower, neither][at]]),
      ] as [number, number][])
        // prettier-ignore
        expect(chance).to.be.within(...wilsonInterval(hits, windows));
    }
  });

  it('are more where prices bounce, so that the closed form fails', () => {
    const { touched, windows } = count(SIGMA * 2, [1, -1]);
    for (const hits of touched) expect(wilsonInterval(hits, windows)[0]).to.be.above(2 * normalTail(1));
  });
});
