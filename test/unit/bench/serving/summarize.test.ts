import { expect } from 'chai';
import type { Outcomes } from '../../../../bench/serving/makeLoad.ts';
import { median, quantile, secondsToNormal, summarize } from '../../../../bench/serving/summarize.ts';

function outcomesOf(rows: readonly (readonly [dueMs: number, latencyMs: number, status: number])[]): Outcomes {
  const [dueMs, latencyMs] = [0, 1].map((column) => Float64Array.from(rows, (row) => row[column])) as [Float64Array, Float64Array];
  return { dueMs, latencyMs, status: Uint16Array.from(rows, (row) => row[2]) };
}

describe('quantile and median', () => {
  it('use the nearest rank, in any order', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect([0, 0.5, 0.99, 1].map((share) => quantile(values, share))).to.deep.equal([1, 50, 99, 100]);
    expect(quantile([], 0.5)).to.be.NaN;
  });

  it('use the mean of the two values in the middle', () => {
    expect(median([3, 1, 2])).to.equal(2);
    expect(median([4, 1, 2, 3])).to.equal(2.5);
    expect(median([])).to.be.NaN;
  });
});

describe('summarize', () => {
  const outcomes = outcomesOf([
    [0, 10, 200],
    [100, 1500, 200],
    [200, 30, 503],
    [300, 700, 504],
    [400, 300, 200],
    [500, NaN, 0],
    [600, 20, 429],
    [1200, 10, 200],
  ]);
  const summary = summarize(outcomes, { fromMs: 0, toMs: 1000 }, 200);

  it('counts each request of the span by its status', () => {
    expect(summary.counts).to.deep.equal({ ok: 3, s503: 1, s504: 1, other: 1, none: 1 });
    expect(summary.n).to.equal(7);
  });

  it('counts answers that were complete within the span as served, and those in time as goodput', () => {
    expect(summary.rate).to.equal(2);
    expect(summary.goodput).to.equal(1);
  });

  it('uses latencies of accepted requests only, including late ones', () => {
    expect([summary.p50, summary.p99]).to.deep.equal([300, 1500]);
  });
});

describe('secondsToNormal', () => {
  const quiet = { fromMs: 0, toMs: 2000 };
  const after = { fromMs: 4000, toMs: 8000 };
  /** One request every 5 ms; in `after` they are late until `calmMs`. */
  const load = (calmMs: number, failMs = -1): Outcomes =>
    outcomesOf(
      Array.from({ length: 1600 }, (_, i) => [
        i * 5,
        i * 5 >= 2000 && i * 5 < calmMs ? 100 : 2 + (i % 3) / 10,
        i * 5 === failMs ? 503 : 200,
      ]),
    );

  it('is the start of the first half second with a p99 close to the earlier one', () => {
    expect(secondsToNormal(load(5200), quiet, after)).to.equal(1.5);
    expect(secondsToNormal(load(4000), quiet, after)).to.equal(0);
  });

  it('is Infinity if the latency does not recover', () => {
    expect(secondsToNormal(load(8000), quiet, after)).to.equal(Infinity);
  });

  it('does not use a slow start as the reference', () => {
    const slow = { ...load(8000), latencyMs: load(8000).latencyMs.fill(100) };
    expect(secondsToNormal(slow, quiet, after)).to.equal(0);
    expect(secondsToNormal(slow, quiet, after, 20)).to.equal(Infinity);
  });

  it('does not accept a half second with a rejected request', () => {
    expect(secondsToNormal(load(4000, 4600), quiet, after)).to.equal(1);
  });
});
