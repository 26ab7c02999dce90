import { expect } from 'chai';
import { leadCells, leadRow, leadText, clearingText } from '../../../src/console/replay/leadTable.ts';
import { leadPlans } from '../../../src/console/replay/leadPlans.ts';

const window = (i: number, isMarked: boolean, moveBps: number | null, isSeen = false) => ({
  ...{ isMarked, moveBps, minMoveBps: 2 + (i % 3) / 10, isSeen },
  baselineProbability: i / 100,
});
const plan = (horizonMs: number) => ({ horizonMs, count: 500 });
/** 40 windows: every fourth moves, the first 12 are marked, of which 9 moved. */
const WINDOWS = Array.from({ length: 40 }, (_, i) => window(i, i < 12, (i < 12 ? i < 9 : i % 4 === 0) ? -5 : 1));

describe('the table of marks', () => {
  it('has marks, hit rate with interval, base rate, and as many windows by EWMA', () => {
    const row = leadRow(plan(60_000), 'your cost', [...WINDOWS, window(0, true, null)]);
    expect(leadCells(row)).to.deep.equal(['1 min', '2.1 bps, your cost', '12 of 40', '75 % (51 % to 90 %)', '40 %', '25 %']);
    expect([row.ticks, row.medianMoveBps]).to.deep.equal([500, 1]);
    // 51 % is above 40 % at 90 %, but not at 99 %: several rows are looked at.
    expect(leadText([row])).to.equal('In no row did marks come true clearly more often than an average window moved.');
    const twice = leadRow(plan(60_000), 'your cost', [...WINDOWS, ...WINDOWS]);
    expect(leadText([row, twice])).to.equal('Marks came true more often than an average window moved at 1 min (your cost).');
  });

  it('leaves out windows that the version was trained on, unless there are no others', () => {
    const seen = leadRow(plan(10_000), 'median', [...WINDOWS.map((one) => ({ ...one, isSeen: true })), window(0, true, 5)]);
    expect([seen.isSeen, seen.windows, seen.hits.of]).to.deep.equal([false, 1, 1]);
  });

  it('says in sample, and that nothing is clearly better', () => {
    const seen = leadRow(plan(10_000), 'median', [window(0, true, 1, true), window(1, false, 5, true)]);
    expect(leadCells(seen)[0]).to.equal('10 s, in sample');
    expect(leadText([seen])).to.equal('In no row did marks come true clearly more often than an average window moved.');
    expect(leadCells(leadRow(plan(10_000), 'median', []))).to.deep.equal(['10 s', 'median', '0 of 0', '–', '–', '–']);
  });
});

const rows = [
  { horizonMs: 10_000, medianMoveBps: 1 },
  { horizonMs: 60_000, medianMoveBps: 3 },
  { horizonMs: 300_000, medianMoveBps: null },
];
const quotes = { bids: Float64Array.of(99.99, 99.99, 99), asks: Float64Array.of(100.01, 100.01, 101) };

describe('which horizons clear the cost', () => {
  it('compares with the cost of the user, else with the spread of the quotes, else asks for a cost', () => {
    expect(clearingText(rows, null, { quotes })).to.equal('The median move is larger than the spread of 2 bps at 1 min.');
    expect(clearingText(rows, 0.5, { quotes })).to.equal('The median move is larger than your cost of 0.5 bps at 10 s, 1 min.');
    expect(clearingText(rows, 4)).to.equal('Nothing clears your cost of 4 bps: at none of these horizons is the median move larger.');
    expect(clearingText(rows, null, {})).to.equal('Name your cost as the threshold to see which horizons clear it.');
  });
});

/** A tick a second. */
const seriesOf = (count: number) => ({
  timesUs: Float64Array.from({ length: count }, (_, i) => i * 1e6),
  prices: new Float64Array(count).fill(1),
});
const VERSION = { mostHorizonToWindow: 10, windowTicks: [{ upToS: null, ticks: 500 }] };

describe('the rows of the table of a replay', () => {
  it('are every horizon at the threshold of each window and at that of the user, but for the row of the form', () => {
    const { plans, without } = leadPlans(seriesOf(20_000), VERSION, { horizonMs: 60_000, count: 250, options: { minMoveBps: 4 } });
    expect(without).to.deep.equal([]);
    expect(plans.map(({ horizonMs, options, count }) => [horizonMs / 1000, options.minMoveBps, count])).to.deep.equal([
      [60, undefined, 250],
      ...[10, 300, 1800].flatMap((horizonS) => [undefined, 4].map((minMoveBps) => [horizonS, minMoveBps, 500])),
    ]);
    for (const { origins, horizonMs } of plans) {
      expect(origins.length).to.be.within(10, 500);
      for (let i = 1; i < origins.length; i++) expect(origins[i] - origins[i - 1]).to.be.at.least(horizonMs / 1000 + 1);
    }
  });

  it('are once for each horizon without a threshold of the user, and say where a file is too short', () => {
    const { plans, without } = leadPlans(seriesOf(450), VERSION, { horizonMs: 10_000, count: 250, options: {} });
    expect(plans).to.deep.equal([]);
    expect(without.map(({ horizonMs }) => horizonMs / 1000)).to.deep.equal([60, 300, 1800]);
    expect(without[0].noWindow).to.equal('the file has 450 ticks; a window takes 500');
  });

  it('are those of the heads for bars', () => {
    const bars = { ...seriesOf(2000), bars: { periodMs: 60_000 } };
    bars.timesUs.forEach((us, i) => (bars.timesUs[i] = us * 60));
    const { plans } = leadPlans(bars, VERSION, { horizonMs: 1_800_000, count: 200, options: {} });
    expect(plans.map(({ horizonMs }) => horizonMs / 1000)).to.deep.equal([300, 7200]);
  });
});
