import { expect } from 'chai';
import fc from 'fast-check';
import { seededRandom } from '../../../../src/core/Random.ts';
import { followTouches, labelOrigin } from '../../../../src/engine/features/labelOrigin.ts';
import { midAt, Touches } from '../../../../src/engine/features/Touches.ts';
import { OutcomeTracker } from '../../../../src/engine/live/OutcomeTracker.ts';
import { SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';
import { NO_TOUCHES, withTouches } from '../../../../src/engine/memory/TouchOutcomes.ts';
import { firstReached } from '../../../../src/engine/scoring/firstPassage.ts';
import { normalTail } from '../../../../src/engine/scoring/normal.ts';
import { wilsonInterval } from '../../../../src/engine/scoring/wilsonInterval.ts';
import type { TickSeries } from '../../../../src/ticks/TickSeries.ts';
import { msOf, originsOf, walk } from '../memory/series.ts';

const HORIZON_MS = 10_000;

type Quote = { readonly mid: number; readonly bid: number; readonly ask: number };
type Quoted = TickSeries & { readonly spreadsBps: Float64Array };

/** The definition, word by word: prices of their millisecond after the entry, which is the first one 1 s after the origin, up to the end. */
function quotesAfterEntry(series: Quoted, origin: number): Quote[] {
  const startMs = msOf(series, origin);
  const last = new Map<number, Quote>();
  for (let at = 0; at < series.timesUs.length; at++) {
    const mid = series.prices[at];
    const half = Number.isNaN(series.spreadsBps[at]) ? 0 : (mid * series.spreadsBps[at]) / 20_000;
    last.set(msOf(series, at), { mid, bid: mid - half, ask: mid + half });
  }
  const within = [...last].filter(([ms]) => ms >= startMs + 1000 && ms <= startMs + HORIZON_MS);
  return within.slice(1).map(([, quote]) => quote);
}

/** What reaches a level above, and one below. */
const SIDES = { mid: ['mid', 'mid'], limit: ['bid', 'ask'], usual: ['bid', 'ask'], stop: ['ask', 'bid'] } as const;

/** Some quotes have no spread. */
function withSpreads(series: TickSeries, seed: number): Quoted {
  const random = seededRandom(seed);
  return { ...series, spreadsBps: series.prices.map(() => (random.uniform() < 0.1 ? NaN : 1.5 * random.uniform())) };
}

describe('whether a price is reached', () => {
  it('is the same by the definition, of a file, in the memory of a series, and of live forecasts', () => {
    let [reached, settled, triggered] = [0, 0, 0];
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.constantFrom(80, 700, 4000),
        fc.constantFrom('mid', 'limit', 'stop', 'usual'),
        (seed, meanGapMs, side) => {
          const series = withSpreads(walk(seed, 500, meanGapMs), seed);
          const by = side === 'usual' ? undefined : side;
          const [above, below] = SIDES[side];
          const memory = new SeriesMemory();
          const tracker = new OutcomeTracker<Touches>(HORIZON_MS);
          const live: Touches[] = [];
          const ofFile: Touches[] = [];
          let pushed = 0;
          const pushTo = (end: number): void => {
            for (; pushed < end; pushed++)
              tracker.push(
                msOf(series, pushed),
                series.prices[pushed],
                (touches) => live.push(touches),
                undefined,
                series.spreadsBps[pushed],
              );
          };
          let [known, expected, openUntilMs] = [0, NO_TOUCHES, -Infinity];
          for (const origin of originsOf(series, 30)) {
            const label = labelOrigin(series, origin, HORIZON_MS / 1000, 1800);
            if (label.status === 'dropped' || msOf(series, origin) < openUntilMs) continue;
            const lastPrice = series.prices[origin];
            const levels = [4e-5, -4e-5, 1.5e-4, -1.5e-4].map((move) => lastPrice * Math.exp(move));
            const lastSpreadBps = series.spreadsBps[origin];
            const touches = new Touches(lastPrice, levels, by, lastSpreadBps);
            followTouches(series, label, touches);
            // A stop that is triggered at the forecast is reached by its quote.
            const half = Number.isNaN(lastSpreadBps) ? 0 : (lastPrice * lastSpreadBps) / 20_000;
            const now = side === 'stop' ? [{ mid: lastPrice, bid: lastPrice - half, ask: lastPrice + half }] : [];
            const after = quotesAfterEntry(series, origin);
            const seen = [...now, ...after];
            const isAt = (level: number) => (quote: Quote) => (level > lastPrice ? quote[above] >= level : quote[below] <= level);
            expect(touches.touched).to.deep.equal(levels.map((level) => seen.some(isAt(level))));
            const [up, down] = levels.slice(0, 2).map(isAt);
            const first = seen.find((quote) => up(quote) || down(quote));
            expect(touches.first).to.equal(first === undefined ? null : up(first) && down(first) ? 'unclear' : up(first) ? 0 : 1);
            if (side === 'stop') triggered += levels.filter((level) => now.some(isAt(level))).length;
            reached += touches.touched.filter(Boolean).length;

            pushTo(origin + 1);
            const followed = new Touches(lastPrice, levels, by, lastSpreadBps);
            tracker.add(followed, followed);
            ofFile.push(touches);

            memory.add(series, known, origin + 1);
            known = origin + 1;
            expect(memory.view(HORIZON_MS).touches).to.deep.equal(expected);
            const question = { sigma: 6e-5, logOdds: [0.3, -1, NaN], reach: [6e-5, 1e-4, 1.5e-4] };
            const made = { theta: 1e-5, probability: 0.5, version: 1, hour: NaN, day: NaN, hours: NaN, week: NaN };
            memory.forecast({ horizonMs: HORIZON_MS, ...made, touches: question });
            openUntilMs = msOf(series, origin) + HORIZON_MS;
            // The memory learns how the mid moves, whatever waits at a level.
            const mids = after.map(({ mid }) => mid);
            const extremes = { up: Math.log(Math.max(0, ...mids) / lastPrice), down: Math.log(Math.min(Infinity, ...mids) / lastPrice) };
            expected = withTouches(expected, question, extremes);
          }
          pushTo(series.timesUs.length);
          const found = ({ touched, first, extremes }: Touches) => ({ touched, first, extremes });
          expect(live.map(found)).to.deep.equal(ofFile.slice(0, live.length).map(found));
          settled += live.length;
        },
      ),
      // The first ones are the same in each run, so that all that is counted below occurs.
      {
        numRuns: 25,
        examples: Object.keys(SIDES).flatMap((side) => [
          [1, 80, side as keyof typeof SIDES],
          [2, 700, side as keyof typeof SIDES],
        ]),
      },
    );
    expect(reached).to.be.above(100);
    expect(triggered).to.be.above(15);
    expect(settled).to.be.above(60);
  });

  it('is the same of a file of bars with high and low and in the memory of their series, which a bar that is sent again does not confuse', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.constantFrom(5, 60), (seed, horizonBars) => {
        const [periodMs, horizonMs] = [60_000, horizonBars * 60_000];
        const random = seededRandom(seed);
        const prices = walk(seed, 400, 1000).prices;
        const timesUs = prices.map((_, at) => 1.7e15 + at * periodMs * 1000);
        const part = (sign: number): Float64Array => prices.map((price) => price * (1 + sign * 1e-4 * random.uniform()));
        const series = { timesUs, prices, ranges: { open: prices, high: part(1), low: part(-1) } };
        const memory = new SeriesMemory(periodMs);
        let [known, expected] = [0, NO_TOUCHES];
        for (let origin = 100; origin < 400; origin += horizonBars + 3) {
          memory.add(series, known, origin + 1);
          // As of a request that has the last bar again.
          memory.add(series, origin, origin + 1);
          known = origin + 1;
          expect(memory.view(horizonMs).touches).to.deep.equal(expected);
          const label = labelOrigin(series, origin, horizonMs / 1000, 86_400, periodMs);
          if (label.status === 'dropped') continue;
          const question = { sigma: 1e-4, logOdds: [0.3, -1, 0.5], reach: [6e-5, 1e-4, 1.5e-4] };
          memory.forecast({
            horizonMs,
            theta: 1e-5,
            probability: 0.5,
            version: 1,
            hour: NaN,
            day: NaN,
            hours: NaN,
            week: NaN,
            touches: question,
          });
          const touches = new Touches(prices[origin], []);
          followTouches(series, label, touches);
          const { low, high } = touches.extremes;
          expected = withTouches(expected, question, { up: Math.log(high / prices[origin]), down: Math.log(low / prices[origin]) });
        }
        expect(expected.weights.outcomes).to.be.above(3);
      }),
      { numRuns: 20 },
    );
  });

  it('is by a limit order where the mid passes the level by half a spread, and by a stop where it is as much before it', () => {
    const quoted = (level: number, by: 'limit' | 'stop', mid: number): boolean => {
      const touches = new Touches(100, [level], by);
      touches.add(mid, undefined, 4);
      return touches.touched[0]!;
    };
    fc.assert(
      fc.property(fc.constantFrom('limit', 'stop'), fc.double({ min: 99, max: 101, noNaN: true }), (by, level) => {
        const mid = midAt(level, level >= 100, by, 4);
        const outward = level >= 100 ? 1 + 1e-12 : 1 - 1e-12;
        expect([mid * outward, mid / outward].map((at) => quoted(level, by, at))).to.deep.equal([true, false]);
        expect(Math.sign(Math.log(mid / level))).to.equal((level >= 100 ? 1 : -1) * (by === 'limit' ? 1 : -1));
        expect(midAt(level, level >= 100, by, NaN)).to.equal(level);
      }),
    );
  });

  it('is not clear where one bar reaches a level on each side, and of two on one side the nearer comes first', () => {
    const at = (levels: readonly number[], ...bars: readonly (readonly [number, number])[]) => {
      const touches = new Touches(100, levels);
      for (const [low, high] of bars) touches.add(low, { open: low, low, high });
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
