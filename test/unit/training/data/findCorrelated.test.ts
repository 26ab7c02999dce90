import { expect } from 'chai';
import fc from 'fast-check';
import { seededRandom } from '../../../../src/core/Random.ts';
import type { TickSeries } from '../../../../src/ticks/TickSeries.ts';
import { BarCloses, type Bars, coarserBars } from '../../../../training/data/BarCloses.ts';
import { correlate, findCorrelated, MIN_COMMON_RETURNS } from '../../../../training/data/groupSources.ts';

type Named = { readonly name: string; readonly bars: Bars };

/** Bars of a walk: `shared` of its returns' variance is that of the walk with the same seed. */
function walk(name: string, seed: number, { shared = 0, indices = range(0, 400), barS = 60, sign = 1 } = {}): Named {
  const [common, own] = [seededRandom(1), seededRandom(seed)];
  const logs = new Map<number, number>();
  let log = 0;
  for (let i = 0; i <= Math.max(...indices); i++) {
    log += 1e-4 * (sign * Math.sqrt(shared) * common.normal() + Math.sqrt(1 - shared) * own.normal());
    logs.set(i, log);
  }
  return { name, bars: { barS, index: Int32Array.from(indices), close: Float64Array.from(indices, (i) => Math.exp(logs.get(i) ?? 0)) } };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

describe('findCorrelated', () => {
  it('finds the pairs with highly correlated returns, with sign, number and span', () => {
    const sources = [walk('a', 2, { shared: 0.9 }), walk('b', 3, { shared: 0.9 }), walk('c', 4), walk('d', 5, { shared: 0.9, sign: -1 })];
    const pairs = findCorrelated(sources);
    expect(pairs.map(({ a, b }) => a + b)).to.deep.equal(['ab', 'ad', 'bd']);
    expect(pairs[0]?.correlation).to.be.closeTo(0.9, 0.05);
    expect(pairs[1]?.correlation).to.be.closeTo(-0.9, 0.05);
    expect(pairs[0]).to.include({ bars: 399, barS: 60, fromUs: 0, toUs: 400 * 60e6 });
  });

  it('compares only equal spans: ignores returns over a gap in either series', () => {
    const gappy = range(0, 200).filter((i) => i % 10 !== 0);
    const pair = correlate(walk('a', 2, { shared: 1, indices: gappy }), walk('b', 2, { shared: 1, indices: range(50, 400) }));
    // 15 runs of nine bars from 51 to 199.
    expect(pair).to.include({ bars: 15 * 8, fromUs: 51 * 60e6, toUs: 200 * 60e6 });
    expect(pair?.correlation).to.be.closeTo(1, 1e-9);
  });

  it('gives no result for fewer than 30 common returns or for a constant price', () => {
    const of = (count: number): ReturnType<typeof correlate> =>
      correlate(walk('a', 2, { shared: 1, indices: range(0, count) }), walk('b', 2, { shared: 1 }));
    expect(of(MIN_COMMON_RETURNS)).to.equal(undefined);
    expect(of(MIN_COMMON_RETURNS + 1)?.bars).to.equal(MIN_COMMON_RETURNS);
    const flat = { name: 'flat', bars: { barS: 60, index: Int32Array.from(range(0, 400)), close: new Float64Array(400).fill(2) } };
    expect(correlate(flat, walk('b', 2))).to.equal(undefined);
  });

  it('compares bars of 5 s with bars of 60 s on the coarser ones', () => {
    const fine = walk('fine', 2, { shared: 1, indices: range(0, 1200), barS: 5 });
    const coarse = { name: 'coarse', bars: coarserBars(fine.bars, 60) };
    expect(correlate(fine, coarse)).to.include({ barS: 60, bars: 99 });
    expect(correlate(fine, coarse)?.correlation).to.be.closeTo(1, 1e-9);
  });

  it('compares sparse series on longer bars', () => {
    const sparse = range(0, 3000).filter((i) => i % 13 === 0);
    const pair = correlate(walk('a', 2, { shared: 1, indices: sparse }), walk('b', 2, { shared: 1, indices: sparse }));
    expect(pair?.barS).to.equal(900);
    expect(pair?.correlation).to.be.closeTo(1, 1e-9);
  });
});

describe('BarCloses', () => {
  it('keeps the last price of each bar for any block size, and changes to minutes at two hours', () => {
    const startUs = Date.UTC(2024, 0, 2) * 1000;
    const times = (endS: number): Float64Array =>
      Float64Array.from(
        range(0, endS + 1).filter((s) => s % 3 === 0),
        (s) => startUs + s * 1e6,
      );
    for (const [endS, barS] of [
      [7198, 5],
      [7200, 60],
    ] as const) {
      const timesUs = times(endS);
      const prices = timesUs.map((_, i) => 100 + i);
      const expected = new Map([...timesUs].map((us, i) => [Math.floor(us / 1e6 / barS), prices[i]]));
      for (const block of [1, 100, timesUs.length]) {
        const bars = new BarCloses();
        for (let at = 0; at < timesUs.length; at += block) bars.add(timesUs.subarray(at, at + block), prices.subarray(at, at + block));
        const found = bars.end();
        expect(found.barS).to.equal(barS);
        expect([...found.index]).to.deep.equal([...expected.keys()]);
        expect([...found.close]).to.deep.equal([...expected.values()]);
      }
    }
  });

  it('takes no chance for one market where a few wild hours of both make the correlation', () => {
    // r = -0.78 over 43 bars of a quarter of an hour, at a shift of 20 hours.
    expect(findCorrelated([barsOf('market', ticksOf(291_364)), barsOf('other', ticksOf(291_365))])).to.deep.equal([]);
  });

  it('finds one market that was shifted by whole hours, scaled, cut or thinned, in any mixture, and no others', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.integer({ min: -14, max: 14 }),
        fc.double({ min: 0.001, max: 1000, noNaN: true }),
        fc.boolean(),
        fc.integer({ min: 0, max: 400 }),
        fc.integer({ min: 1, max: 20 }),
        (seed, hours, scale, isInverse, cut, thin) => {
          const market = ticksOf(seed);
          const other = ticksOf(seed + 1);
          const copy = {
            timesUs: market.timesUs.slice(cut).map((us) => us + hours * 3600e6),
            prices: market.prices.slice(cut).map((price) => scale * (isInverse ? 1 / price : price)),
          };
          const kept = (_: number, i: number): boolean => i % thin === 0;
          const thinned = barsOf('copy', { timesUs: copy.timesUs.filter(kept), prices: copy.prices.filter(kept) });
          const pairs = findCorrelated([barsOf('market', market), thinned, barsOf('other', other)]);
          expect(pairs.map(({ a, b }) => `${a} ${b}`)).to.deep.equal(['market copy']);
          expect(pairs[0].shiftH ?? 0).to.equal(hours === 0 ? 0 : -hours);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('finds one market of which summer time has moved a part', () => {
    const { timesUs, prices } = ticksOf(3);
    const local = timesUs.map((us, i) => us + (i < 9000 ? 2 : 3) * 3600e6);
    const pairs = findCorrelated([barsOf('utc', { timesUs, prices }), barsOf('local', { timesUs: local, prices })]);
    expect(pairs).to.have.length(1);
    expect(pairs[0].shiftH).to.be.oneOf([-2, -3]);
  });
});

/** 18,000 ticks over some 20 hours, whose volatility changes. */
function ticksOf(seed: number): TickSeries {
  const random = seededRandom(seed);
  let [us, log, level] = [Date.UTC(2025, 1, 3) * 1000, 0, 0];
  const timesUs = new Float64Array(18_000);
  const prices = timesUs.map((_, i) => {
    level = 0.999 * level + 0.05 * random.normal();
    timesUs[i] = us += 1000 * Math.ceil(-4000 * Math.exp(-level / 2) * Math.log(1 - random.uniform()));
    return Math.exp((log += 5e-5 * Math.exp(level) * random.normal()));
  });
  return { timesUs, prices };
}

function barsOf(name: string, { timesUs, prices }: TickSeries): Named {
  const closes = new BarCloses();
  closes.add(timesUs, prices);
  return { name, bars: closes.end() };
}
