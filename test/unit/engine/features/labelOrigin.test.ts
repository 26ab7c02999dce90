import { expect } from 'chai';
import fc from 'fast-check';
import { seededRandom } from '../../../../src/core/Random.ts';
import type { TickSeries } from '../../../../src/ticks/TickSeries.ts';
import { labelOrigin, type OriginLabel } from '../../../../src/engine/features/labelOrigin.ts';
import { testOrigins } from '../../../../training/data/planRows.ts';
import { auc, aucStandardError } from '../../../../training/metrics/auc.ts';

const series = (ticks: readonly (readonly [seconds: number, price: number])[]): TickSeries => ({
  timesUs: Float64Array.from(ticks, ([s]) => 1_700_000_000_000_000 + Math.round(s * 1e6)),
  prices: Float64Array.from(ticks, ([, price]) => price),
});

/** The definition of docs/explanation/evaluation.md, "What is predicted", word by word: collapse, then iterate. */
function naiveLabel({ timesUs, prices }: TickSeries, origin: number, horizonS: number, gapS: number): OriginLabel {
  const stamps: { ms: number; tick: number }[] = [];
  for (let i = 0; i < timesUs.length; i++) {
    const ms = Math.floor(timesUs[i] / 1000);
    if (stamps.at(-1)?.ms === ms) stamps.at(-1)!.tick = i;
    else stamps.push({ ms, tick: i });
  }
  const t = Math.floor(timesUs[origin] / 1000);
  const end = t + horizonS * 1000;
  if (stamps.at(-1)!.ms < end) return { status: 'dropped', why: 'data_ends' };
  for (let i = 1; i < stamps.length; i++) {
    const [a, b] = [stamps[i - 1].ms, stamps[i].ms];
    if (b - a > gapS * 1000 && Math.max(a, t) < Math.min(b, end)) return { status: 'dropped', why: 'session_gap' };
  }
  const between = stamps.filter(({ ms }) => ms >= t + 1000 && ms <= end);
  if (between.length === 0) return { status: 'ok', move: 0, entry: null, exit: null };
  const [entry, exit] = [between[0].tick, between.at(-1)!.tick];
  const move = Math.log(prices[exit]) - Math.log(prices[entry]);
  return { status: 'ok', move: Math.abs(move) <= 1e-9 ? 0 : move, entry, exit };
}

describe('labelOrigin', () => {
  it('has its entry at t + 1 s and its exit at t + H, both inclusive', () => {
    const label = labelOrigin(series([[0, 100], [0.999, 7], [1, 101], [5, 102], [10, 103], [10.001, 9]]), 0, 10, 1800); // prettier-ignore
    expect(label).to.deep.include({ status: 'ok', entry: 2, exit: 4 });
    expect(label.status === 'ok' && label.move).to.be.closeTo(Math.log(103 / 101), 1e-15);
  });

  it('uses the last price of equal timestamps, cut to ms, at both ends', () => {
    const ticks = [[0, 100], [1.5, 7], [1.5001, 101], [1.5009, 102], [6, 9], [6.0004, 104], [7, 1]] as const; // prettier-ignore
    const label = labelOrigin(series(ticks), 0, 6, 1800);
    expect(label.status === 'ok' && label.move).to.be.closeTo(Math.log(104 / 102), 1e-15);
  });

  it('is a move of 0 without a later price, not a dropped origin', () => {
    expect(labelOrigin(series([[0, 100], [0.5, 104], [11, 120]]), 0, 10, 1800)).to.deep.equal({ status: 'ok', move: 0, entry: null, exit: null }); // prettier-ignore
    expect(labelOrigin(series([[0, 100], [3, 104], [11, 120]]), 0, 10, 1800)).to.deep.equal({ status: 'ok', move: 0, entry: 1, exit: 1 }); // prettier-ignore
  });

  it('has no price if the horizon is shorter than the entry delay', () => {
    expect(labelOrigin(series([[0, 100], [0.5, 104], [2, 120]]), 0, 0.6, 1800)).to.deep.equal({ status: 'ok', move: 0, entry: null, exit: null }); // prettier-ignore
  });

  it('treats a return of rounding size as 0', () => {
    const label = labelOrigin(series([[0, 1], [1, 1], [2, 1 + 9e-10], [9, 2]]), 0, 5, 1800); // prettier-ignore
    expect(label).to.deep.equal({ status: 'ok', move: 0, entry: 1, exit: 2 });
  });

  it('drops an origin if the data ends before the horizon, and keeps it if the data ends at the horizon', () => {
    const ticks = series([[0, 100], [4, 101], [10, 102]]); // prettier-ignore
    expect(labelOrigin(ticks, 0, 10, 1800).status).to.equal('ok');
    expect(labelOrigin(ticks, 0, 10.001, 1800)).to.deep.equal({ status: 'dropped', why: 'data_ends' });
    expect(labelOrigin(ticks, 2, 1, 1800)).to.deep.equal({ status: 'dropped', why: 'data_ends' });
  });

  it('drops an origin if a session gap overlaps the horizon, even by its first instant', () => {
    const ticks = series([[0, 100], [5, 101], [3600, 102], [3700, 103]]); // prettier-ignore
    expect(labelOrigin(ticks, 0, 5, 1800).status, 'the gap begins at the deadline').to.equal('ok');
    expect(labelOrigin(ticks, 0, 5.001, 1800)).to.deep.equal({ status: 'dropped', why: 'session_gap' });
    expect(labelOrigin(ticks, 1, 2, 1800)).to.deep.equal({ status: 'dropped', why: 'session_gap' });
    expect(labelOrigin(ticks, 0, 60, 3595).status, 'a gap equal to the threshold does not count').to.equal('ok');
    expect(labelOrigin(ticks, 2, 60, 1800).status, 'a gap that ends at the origin is over').to.equal('ok');
  });

  it('rejects an origin outside the series, a horizon of 0 and a gap of 0', () => {
    const ticks = series([[0, 100], [5, 101]]); // prettier-ignore
    expect(() => labelOrigin(ticks, 2, 5, 1800)).to.throw(RangeError);
    expect(() => labelOrigin(ticks, 0, 0, 1800)).to.throw(RangeError);
    expect(() => labelOrigin(ticks, 0, Number.NaN, 1800)).to.throw(RangeError);
    expect(() => labelOrigin(ticks, 0, 5, 0)).to.throw(RangeError);
  });

  it('equals a naive implementation on random series with equal timestamps and gaps', () => {
    const stepUs = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1500 }), fc.integer({ min: 1, max: 8_000_000 }), fc.integer({ min: 1, max: 90_000_000 })); // prettier-ignore
    fc.assert(
      fc.property(
        fc.array(fc.tuple(stepUs, fc.constantFrom(99, 100, 100.01, 101, 100 + 5e-8)), { minLength: 1, maxLength: 60 }),
        fc.oneof(fc.integer({ min: 1, max: 120 }), fc.integer({ min: 1, max: 120_000 }).map((ms) => ms / 1000)), // prettier-ignore
        fc.constantFrom(3, 5.5, 20, 60, 1800),
        fc.nat(),
        (steps, horizonS, gapS, pick) => {
          let us = 1_700_000_000_000_000;
          const ticks = { timesUs: new Float64Array(steps.length), prices: Float64Array.from(steps, ([, price]) => price) };
          steps.forEach(([step], i) => (ticks.timesUs[i] = us += step));
          const origin = pick % steps.length;
          const got = labelOrigin(ticks, origin, horizonS, gapS);
          const want = naiveLabel(ticks, origin, horizonS, gapS);
          expect({ ...got, move: 0 }).to.deep.equal({ ...want, move: 0 });
          if (got.status === 'ok' && want.status === 'ok') expect(got.move).to.be.closeTo(want.move, 1e-14);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is not affected by bid-ask bounce, which the naive label (entry at the last tick) mistakes for direction', () => {
    const random = seededRandom(7);
    const count = 60_000;
    const ticks = { timesUs: new Float64Array(count), prices: new Float64Array(count) };
    const bounce = new Float64Array(count);
    let us = 1_700_000_000_000_000;
    let mid = Math.log(100);
    for (let i = 0; i < count; i++) {
      us += Math.round(400_000 * -Math.log(1 - random.uniform()));
      mid += 1e-5 * random.normal();
      bounce[i] = random.uniform() < 0.5 ? -1 : 1;
      ticks.timesUs[i] = us;
      ticks.prices[i] = Math.exp(mid + 1e-4 * bounce[i]);
    }
    const origins = testOrigins(ticks, 10, { minTicks: 200 });
    const naive: { score: number; up: number }[] = [];
    const ours: { score: number; up: number }[] = [];
    for (const origin of origins) {
      const label = labelOrigin(ticks, origin, 10, 1800);
      if (label.status !== 'ok' || label.move === 0) continue;
      const recent = ticks.prices.subarray(origin - 20, origin).reduce((sum, price) => sum + price, 0) / 20;
      const score = recent - ticks.prices[origin]; // reversal to the mean of the last ticks
      ours.push({ score, up: label.move > 0 ? 1 : 0 });
      let exit = origin;
      while (ticks.timesUs[exit + 1] <= ticks.timesUs[origin] + 10e6) exit++;
      naive.push({ score, up: ticks.prices[exit] > ticks.prices[origin] ? 1 : 0 });
    }
    const aucOf = (rows: typeof naive): number => auc(Float64Array.from(rows, (r) => r.score), Uint8Array.from(rows, (r) => r.up)); // prettier-ignore
    const positives = ours.filter((row) => row.up === 1).length;
    expect(ours.length).to.be.greaterThan(1500);
    expect(aucOf(naive)).to.be.greaterThan(0.75);
    expect(Math.abs(aucOf(ours) - 0.5)).to.be.below(3 * aucStandardError(positives, ours.length - positives));
  });
});
