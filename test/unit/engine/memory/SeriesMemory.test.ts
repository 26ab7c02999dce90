import { expect } from 'chai';
import fc from 'fast-check';
import { labelOrigin } from '../../../../src/engine/features/labelOrigin.ts';
import { MEMORY_HORIZONS_S } from '../../../../src/engine/memory/newHorizons.ts';
import { MAX_MEMORY_BYTES, SeriesMemory } from '../../../../src/engine/memory/SeriesMemory.ts';
import type { TickSeries } from '../../../../src/ticks/TickSeries.ts';
import { forecastAt, msOf, originsOf, START_MS, walk } from './series.ts';

const cut = ({ timesUs, prices }: TickSeries, from: number, to: number): TickSeries => ({
  timesUs: timesUs.subarray(from, to),
  prices: prices.subarray(from, to),
});

/** Adds ticks [from, to). */
type Feed = (memory: SeriesMemory, series: TickSeries, from: number, to: number) => SeriesMemory;

const atOnce: Feed = (memory, series, from, to) => {
  memory.add(series, from, to);
  return memory;
};
const oneByOne: Feed = (memory, series, from, to) => {
  for (let at = from; at < to; at++) memory.add(series, at, at + 1);
  return memory;
};
const inWindows: Feed = (memory, series, from, to) => {
  for (let end = Math.min(from + 50, to); ; end = Math.min(end + 37, to)) {
    memory.join(cut(series, Math.max(0, end - 90), end));
    if (end === to) return memory;
  }
};
const savedBetween: Feed = (memory, series, from, to) => {
  const middle = (from + to) >> 1;
  memory.add(series, from, middle);
  const loaded = SeriesMemory.load(memory.save());
  loaded.add(series, middle, to);
  return SeriesMemory.load(loaded.save());
};

/** Readings at the origins, and the bytes after the last tick. */
function pass(series: TickSeries, origins: readonly number[], feed: Feed): { readings: unknown[]; bytes: Uint8Array } {
  let memory = new SeriesMemory();
  let from = 0;
  const readings: unknown[] = [];
  for (const origin of origins) {
    memory = feed(memory, series, from, origin + 1);
    readings.push(forecastAt(memory, msOf(series, origin)), forecastAt(memory, msOf(series, origin), 60_000));
    from = origin + 1;
  }
  return { readings, bytes: feed(memory, series, from, series.timesUs.length).save() };
}

/** Kept moves of a horizon above theta. */
function countAbove(memory: SeriesMemory, horizonMs: number, theta: number): { above: number; of: number } {
  const { moves, movesMs } = memory.view(horizonMs);
  expect(movesMs).to.equal(horizonMs);
  return { above: moves.filter((move) => move > theta).length, of: moves.length };
}

const drawn = fc.record({
  seed: fc.integer({ min: 1, max: 1e6 }),
  meanGapMs: fc.constantFrom(80, 700, 4000),
  every: fc.integer({ min: 20, max: 90 }),
});

describe('SeriesMemory', () => {
  it('has the same bits however the ticks are divided among calls, and saved and loaded between them', () => {
    fc.assert(
      fc.property(drawn, ({ seed, meanGapMs, every }) => {
        const series = walk(seed, 700, meanGapMs);
        const origins = originsOf(series, every);
        const expected = pass(series, origins, atOnce);
        for (const feed of [oneByOne, inWindows, savedBetween]) expect(pass(series, origins, feed)).to.deep.equal(expected);
      }),
      { numRuns: 20 },
    );
  });

  it('reads the same bits at an origin with and without the ticks after it', () => {
    let read = 0;
    fc.assert(
      fc.property(drawn, ({ seed, meanGapMs, every }) => {
        const series = walk(seed, 600, meanGapMs);
        const origins = originsOf(series, every);
        const { readings } = pass(series, origins, atOnce);
        for (const count of [1, origins.length >> 1, origins.length]) {
          const past = cut(series, 0, origins[count - 1] + 1);
          const other = walk(seed + 1, 50, meanGapMs);
          const shifted = {
            timesUs: other.timesUs.map((us) => us - other.timesUs[0] + past.timesUs.at(-1)! + 1000),
            prices: other.prices,
          };
          const changed = {
            timesUs: Float64Array.from([...past.timesUs, ...shifted.timesUs]),
            prices: Float64Array.from([...past.prices, ...shifted.prices]),
          };
          for (const without of [past, changed]) {
            expect(pass(without, origins.slice(0, count), atOnce).readings).to.deep.equal(readings.slice(0, 2 * count));
            read += count;
          }
        }
      }),
      { numRuns: 20 },
    );
    expect(read).to.be.above(300);
  });

  it('counts the moves of the label on a grid, each from its end on', () => {
    fc.assert(
      fc.property(drawn, fc.constantFrom(...MEMORY_HORIZONS_S), ({ seed, meanGapMs }, horizonS) => {
        const series = walk(seed, 400, meanGapMs);
        const memory = new SeriesMemory();
        const horizonMs = horizonS * 1000;
        for (let at = 0; at < series.timesUs.length; at++) {
          memory.add(series, at, at + 1);
          const nextMs = at + 1 < series.timesUs.length ? msOf(series, at + 1) : Infinity;
          if (nextMs === msOf(series, at) || at % 60 !== 1) continue;
          const moves = gridMoves(cut(series, 0, at + 1), horizonMs);
          const above = moves.filter((move) => Math.abs(move) > 2e-5).length;
          expect(countAbove(memory, horizonMs, 2e-5)).to.deep.equal({
            above,
            of: moves.length,
          });
        }
      }),
      { numRuns: 12 },
    );
  });

  it('ends a minute with its last tick, and begins the next one with a tick at its first millisecond', () => {
    const times = Array.from({ length: 80 }, (_, minute) => [0, 57_000, 58_000].map((ms) => START_MS + minute * 60_000 + ms)).flat();
    const prices = times.map((_, i) => 100 + ((i * 7) % 11));
    const memory = new SeriesMemory();
    memory.add({ timesUs: Float64Array.from(times, (ms) => ms * 1000), prices: Float64Array.from(prices) });
    const closes = prices.filter((_, i) => i % 3 === 2).slice(0, -1);
    const squares = closes.slice(1).map((price, i) => Math.log(price / closes[i]) ** 2);
    const last = squares.slice(-60);
    expect(memory.minutes.meanSquares()!.hour).to.be.closeTo(last.reduce((sum, one) => sum + one) / last.length, 1e-9);
  });

  it('counts the outcome of a forecast at its future timestamp, not before', () => {
    const memory = new SeriesMemory();
    const tick = (ms: number, price: number): void =>
      memory.add({ timesUs: Float64Array.of((START_MS + ms) * 1000), prices: Float64Array.of(price) });
    const outcomes = (): readonly [number, number] => {
      const { count, meanOutcome } = memory.view(10_000).outcomes;
      return [count, meanOutcome];
    };
    tick(0, 100);
    forecastAt(memory, START_MS);
    tick(1000, 100);
    tick(9999, 101);
    expect(outcomes()).to.deep.equal([0, 0]);
    tick(10_000, 100);
    expect(outcomes()).to.deep.equal([1, 0]);
    tick(10_000, 102);
    expect(outcomes()).to.deep.equal([1, 1]);
    tick(10_001, 100);
    expect(outcomes()).to.deep.equal([1, 1]);
  });

  it('does not depend on when a forecast is answered before its outcome is known', () => {
    const pass = (lateBy: number): { bytes: Uint8Array; owed: number } => {
      const series = walk(11, 900, 1500);
      const memory = new SeriesMemory();
      const waiting: { at: number; originMs: number }[] = [];
      const answer = (): void => {
        const made = { theta: 3e-5, probability: 0.3, version: 1, hour: 0.1, day: 0.2, hours: NaN, week: NaN };
        memory.answer(waiting.shift()!.originMs, 10_000, made);
      };
      let owed = 0;
      for (let at = 0; at < series.timesUs.length; at++) {
        while (waiting.length > 0 && (waiting[0].at + lateBy <= at || memory.isOwed(msOf(series, at)))) {
          if (memory.isOwed(msOf(series, at))) owed++;
          answer();
        }
        memory.push(series.timesUs[at], series.prices[at]);
        if (at % 7 !== 0 || msOf(series, at + 1) === msOf(series, at)) continue;
        memory.begin(10_000);
        waiting.push({ at, originMs: memory.lastMs });
      }
      while (waiting.length > 0) answer();
      expect(memory.view(10_000).outcomes.compared).to.be.above(50);
      return { bytes: memory.save(), owed };
    };
    const [soon, late] = [pass(0), pass(1000)];
    expect(late.bytes).to.deep.equal(soon.bytes);
    expect(soon.owed).to.equal(0);
    expect(late.owed).to.be.above(20);
  });

  it('counts no outcome of a forecast that failed, and follows the next one', () => {
    const memory = new SeriesMemory();
    const tick = (second: number, price: number): void => memory.push((START_MS + second * 1000) * 1000, price);
    const made = { theta: 1e-5, probability: 0.3, version: 1, hour: NaN, day: NaN, hours: NaN, week: NaN };
    tick(0, 100);
    memory.begin(10_000);
    memory.answer(memory.lastMs, 10_000, null);
    tick(2, 100);
    memory.begin(10_000);
    tick(4, 101);
    // Of another origin, and of another horizon.
    memory.answer(memory.lastMs, 10_000, made);
    memory.answer(memory.lastMs - 2000, 11_000, made);
    expect(memory.isOwed(START_MS + 11_999)).to.equal(false);
    expect(memory.isOwed(START_MS + 12_000)).to.equal(true);
    memory.answer(START_MS + 2000, 10_000, made);
    expect(memory.isOwed(START_MS + 12_000)).to.equal(false);
    tick(12, 102);
    expect(memory.view(10_000).outcomes).to.include({ count: 1, meanOutcome: 1, meanProbability: 0.3 });
  });

  it('begins again with a window that ends more than a day before the last tick, and not with an older one of the same day', () => {
    const series = walk(5, 3000, 1000);
    const memory = new SeriesMemory();
    memory.join(series);
    const bytes = memory.save();
    memory.join(cut(series, 0, 300));
    expect(memory.save()).to.deep.equal(bytes);
    const later = { timesUs: series.timesUs.map((us) => us + 3 * 86_400e6), prices: series.prices };
    memory.join(later);
    expect(memory.sinceMs).to.equal(msOf(series, 0));
    memory.join(series);
    const again = new SeriesMemory();
    again.join(series);
    expect(memory.save()).to.deep.equal(again.save());
  });

  it('learns nothing across missing ticks and pauses', () => {
    for (const isPause of [false, true]) {
      const first = walk(5, 300, 1000);
      const gapUs = isPause ? 3_600_000_000 : 25_000_000;
      const later = { timesUs: first.timesUs.map((us) => us - first.timesUs[0] + first.timesUs.at(-1)! + gapUs), prices: first.prices };
      const memory = new SeriesMemory();
      memory.join(first);
      const { of } = countAbove(memory, 30_000, 0);
      forecastAt(memory, memory.lastMs, 30_000);
      if (isPause) memory.add(later, 0, 1);
      else memory.join(cut(later, 0, 1));
      expect(countAbove(memory, 30_000, 0).of).to.equal(of);
      memory.add(later, 1);
      expect(memory.view(30_000).outcomes.count).to.equal(0);
    }
  });

  it('forgets the probabilities of another version, and keeps moves and levels', () => {
    const series = walk(3, 4000, 1000);
    const memory = new SeriesMemory();
    let from = 0;
    for (const origin of originsOf(series, 20)) {
      memory.add(series, from, origin + 1);
      forecastAt(memory, msOf(series, origin));
      from = origin + 1;
    }
    const before = memory.view(10_000).outcomes;
    expect(before.compared).to.be.above(100);
    const other = forecastAt(memory, memory.lastMs, 10_000, 2);
    expect(other.inputs.cal).to.deep.equal({ why: 'other_version' });
    const after = memory.view(10_000).outcomes;
    expect(after).to.deep.equal({ ...before, compared: 0, meanProbability: 0, meanOutcome: 0 });
  });

  it('is bounded', () => {
    const memory = new SeriesMemory();
    const minutes = 9 * 1440;
    const timesUs = Float64Array.from({ length: minutes * 6 }, (_, i) => (START_MS + i * 10_000) * 1000);
    memory.add({ timesUs, prices: timesUs.map((_, i) => 100 + Math.sin(i) + Math.sin(i / 100)) });
    for (const seconds of MEMORY_HORIZONS_S) forecastAt(memory, memory.lastMs, seconds * 1000);
    const { length } = memory.save();
    for (const seconds of MEMORY_HORIZONS_S) expect(countAbove(memory, seconds * 1000, 0).of).to.equal(400);
    expect(length).to.be.within(20_000, MAX_MEMORY_BYTES);
  });

  it('refuses bytes of another format, cut bytes and longer ones', () => {
    const bytes = new SeriesMemory().save();
    expect(() => SeriesMemory.load(Uint8Array.of(99, ...bytes.subarray(1)))).to.throw(RangeError, 'has format 99');
    for (const wrong of [bytes.subarray(0, 100), Uint8Array.of(...bytes, 0)]) expect(() => SeriesMemory.load(wrong)).to.throw(RangeError);
  });
});

/** The label's moves on the grid that are known at the last tick, by `labelOrigin`: the beginning of a move becomes a tick of its own. */
function gridMoves(series: TickSeries, horizonMs: number): number[] {
  const moves: number[] = [];
  const lastMs = msOf(series, series.timesUs.length - 1);
  let from = Math.ceil(msOf(series, 0) / horizonMs) * horizonMs;
  // A pause ends the grid; it begins again at the first tick after it.
  for (let at = 0; from + horizonMs <= lastMs; from += horizonMs) {
    while (at + 1 < series.timesUs.length && msOf(series, at + 1) <= from) at++;
    const times = [...series.timesUs.subarray(0, at + 1), from * 1000, ...series.timesUs.subarray(at + 1)];
    const prices = [...series.prices.subarray(0, at + 1), series.prices[at], ...series.prices.subarray(at + 1)];
    const label = labelOrigin({ timesUs: Float64Array.from(times), prices: Float64Array.from(prices) }, at + 1, horizonMs / 1000, 1800);
    const isQuiet = from - msOf(series, at) > Math.max(60_000, 2 * horizonMs);
    const next = msOf(series, Math.min(at + 1, series.timesUs.length - 1));
    const isInPause = next - msOf(series, at) > 1_800_000;
    if (label.status === 'ok' && !isQuiet && !(isInPause && from > msOf(series, at))) moves.push(label.move);
  }
  return moves;
}
