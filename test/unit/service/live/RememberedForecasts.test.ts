import { expect } from 'chai';
import type { ForecastSummary } from '../../../../src/engine/forecast/Forecaster.ts';
import type { RangeBand, TouchAnswer } from '../../../../src/contract/outlook.ts';
import { RememberedForecasts } from '../../../../src/service/live/RememberedForecasts.ts';
import { EMPTY_TALLY, mergeTallies, type Tally } from '../../../../src/engine/live/score.ts';
import type { ForecastEvents } from '../../../../src/service/live/ForecastEvents.ts';
import type { RecordKey } from '../../../../src/service/live/TrackRecord.ts';
import type { TickSeries } from '../../../../src/ticks/TickSeries.ts';
import { FakeClock } from '../../../support/FakeClock.ts';

const NAME = { accountId: 'a', series: 'eurusd' };
const SUMMARY: ForecastSummary = {
  model: 'base-1',
  probability: 0.75,
  baselineProbability: 0.5,
  decisionThreshold: 0.6,
  minMoveBps: 10,
  reasons: [],
  medianGapS: 1,
};

/** Ticks every second from `fromS` on. */
function ticks(fromS: number, prices: readonly number[]): TickSeries {
  return { timesUs: Float64Array.from(prices, (_, i) => (fromS + i) * 1e6), prices: Float64Array.from(prices) };
}
const flat = (count: number, price = 100): number[] => Array.from({ length: count }, () => price);

const USUAL_RATE = 1 / (1 + Math.exp(1.5));

describe('RememberedForecasts', () => {
  let added: [RecordKey, Tally][];
  let events: unknown[][];
  let isWanted: ForecastEvents['wants'];
  let remembered: RememberedForecasts;
  const sum = (isIt: (key: RecordKey) => boolean = () => true): Tally =>
    added.filter(([key]) => isIt(key)).reduce((tally, [, other]) => mergeTallies(tally, other), EMPTY_TALLY);

  beforeEach(() => {
    added = [];
    events = [];
    isWanted = ({ isMarked }) => isMarked;
    const sink: ForecastEvents = {
      wants: (of) => isWanted(of),
      made: (...given) => void events.push(['made', ...given]),
      settled: (...given) => void events.push(['settled', ...given]),
      flush: () => Promise.resolve(),
    };
    remembered = new RememberedForecasts(
      { add: (key, tally) => void added.push([key, tally]), storeSoon: () => {}, rows: () => Promise.resolve([]) },
      new FakeClock(),
      sink,
    );
  });

  /** A forecast at the last of `count` ticks from 0 s on, for `horizonS` later. */
  function ask({
    count = 200,
    horizonS = 10,
    mark = 1 as 1 | null,
    summary = {},
    name = NAME,
    own = false,
    spread = NaN,
    range = [] as RangeBand[],
    touch = undefined as TouchAnswer | undefined,
  } = {}): void {
    const series = ticks(0, flat(count));
    const spreadBps = Number.isNaN(spread) ? {} : { spreadBps: () => spread, spreadsBps: () => Float64Array.of(1, spread) };
    remembered.remember(
      name,
      { series, futureUs: (count - 1 + horizonS) * 1e6, ...spreadBps },
      { mark, summary: { ...SUMMARY, ...summary }, outlook: { range, touch } },
      own,
    );
  }

  it('counts a forecast at once, and its outcome when ticks reach beyond the future timestamp', () => {
    ask();
    const { day, ...key } = added[0]?.[0] as RecordKey;
    expect(key).to.deep.equal({ ...NAME, model: 'base-1', bucket: 'h30s', ownThreshold: false });
    expect(day, 'that of its last tick').to.equal('1970-01-01');
    remembered.settle(NAME, ticks(100, [...flat(101), ...flat(9, 102)]));
    expect(sum(), 'the last tick is at the future timestamp').to.deep.equal({ ...EMPTY_TALLY, forecasts: 1 });
    remembered.settle(NAME, ticks(100, [...flat(101), ...flat(10, 102)]));
    expect(sum()).to.deep.equal({
      ...EMPTY_TALLY,
      ...{ forecasts: 1, outcomes: 1, marks: 1, hits: 1, moved: 1 },
      ...{ brierSum: 0.0625, baselineBrierSum: 0.25, squaredDifferenceSum: 0.1875 ** 2, markOverlapSum: 1 },
      baseRateSums: {
        ...{ outcomes: 1, brierSum: (1 - USUAL_RATE) ** 2, forecastBrierSum: 0.0625 },
        squaredDifferenceSum: (0.0625 - (1 - USUAL_RATE) ** 2) ** 2,
      },
      bins: [{ tenth: 7, outcomes: 1, moved: 1, probabilitySum: 0.75 }],
    });
    remembered.settle(NAME, ticks(100, flat(120)));
    expect(sum().outcomes, 'an outcome counts once').to.equal(1);
  });

  it('counts whether the move stayed within the ranges of the answer', () => {
    const band = (level: number, bps: number): RangeBand => ({ level, move_bps: bps, low: 1, high: 2, reason: null, coverage: null });
    // The move is 198 bps: 100 to 102.
    ask({ range: [band(0.5, 190), band(0.9, 200)] });
    remembered.settle(NAME, ticks(100, [...flat(101), ...flat(10, 102)]));
    expect(sum().coverage).to.deep.equal([
      { level: 0.5, outcomes: 1, covered: 0, overlapSum: 1 },
      { level: 0.9, outcomes: 1, covered: 1, overlapSum: 1 },
    ]);
  });

  it('counts which prices were reached, by bid or ask where an order was named', () => {
    const level = (price: number) => ({ price, probability: 0.5, version_probability: 0.5, baseline_probability: 0.25, reason: null });
    const later = { ...ticks(190, [...flat(12), ...flat(3, 101), ...flat(20)]), spreadsBps: () => Float64Array.from(flat(35, 20)) };
    const reachedBy = (by: 'limit' | 'stop' | undefined, prices: number[], spread = NaN): number[] => {
      added = [];
      ask({ spread, touch: { by, levels: prices.map(level), outcomes: 0, reach: [] }, summary: { model: `m${String(by)}${spread}` } });
      remembered.settle(NAME, later);
      const { outcomes, levels, reached } = sum().touchSums!;
      return [outcomes, levels, reached];
    };
    // 101 is bid 100.899 and ask 101.101.
    expect(reachedBy(undefined, [101, 101.05, 99])).to.deep.equal([1, 3, 1]);
    expect(reachedBy('limit', [101, 100.85, 99])).to.deep.equal([1, 3, 1]);
    expect(reachedBy('stop', [101, 101.05, 99])).to.deep.equal([1, 3, 2]);
    // The bid of the last quote was at 99.
    expect(reachedBy('stop', [101, 101.05, 99], 200)).to.deep.equal([1, 3, 3]);
  });

  it('measures from the first price a second after the last tick to the last price before the future timestamp', () => {
    ask({ mark: null });
    // The jump is between the last tick and the entry, and after the exit.
    remembered.settle(NAME, ticks(199, [100, 200, ...flat(9, 200), 100]));
    expect(sum()).to.include({ outcomes: 1, moved: 0, marks: 0, hits: 0 });
  });

  it('counts as unscored: a pause of the market, and ticks that do not contain the last tick of the request', () => {
    ask();
    const times = [199, 200, 4000, 4001];
    remembered.settle(NAME, { timesUs: Float64Array.from(times, (s) => s * 1e6), prices: Float64Array.from(flat(4)) });
    expect(sum()).to.include({ forecasts: 1, outcomes: 0, unscored: 1 });
    ask({ horizonS: 20 });
    remembered.settle(NAME, ticks(200, flat(100)));
    expect(sum()).to.include({ forecasts: 2, outcomes: 0, unscored: 2 });
  });

  it('counts a request that is repeated once, and one without a probability not at all', () => {
    ask();
    ask();
    ask({ summary: { probability: null } });
    ask({ summary: { minMoveBps: 5 }, own: true });
    expect(added.map(([{ ownThreshold }, { forecasts }]) => [ownThreshold, forecasts])).to.deep.equal([
      [false, 1],
      [true, 1],
    ]);
  });

  it('counts nothing for a forecast without a probability, a baseline or a threshold', () => {
    for (const name of ['probability', 'baselineProbability', 'minMoveBps'] as const) ask({ summary: { [name]: null } });
    remembered.close();
    expect([added, events]).to.deep.equal([[], []]);
  });

  it('counts a forecast of the same series again if its last tick, horizon, threshold or version differs', () => {
    ask();
    for (const other of [{ count: 201, horizonS: 9 }, { horizonS: 11 }, { summary: { minMoveBps: 5 } }, { summary: { model: 'base-2' } }]) ask(other); // prettier-ignore
    expect(sum().forecasts).to.equal(5);
    ask();
    expect(sum().forecasts).to.equal(5);
  });

  it('reports the forecasts that are wanted with their cost and their outcomes, and no others', () => {
    ask({ spread: 2.5 });
    ask({ count: 201, mark: null });
    const told = {
      ...NAME,
      isMarked: true,
      lastPrice: 100,
      touch: undefined,
      model: 'base-1',
      lastUs: 199e6,
      futureUs: 209e6,
      probability: 0.75,
      minMoveBps: 10,
      ownThreshold: false,
      costBps: 2.5,
    };
    expect(events.splice(0)).to.deep.equal([['made', told]]);
    remembered.settle(NAME, ticks(190, [...flat(11), ...flat(30, 101)]));
    expect(sum()).to.include({ outcomes: 2, marks: 1 });
    expect(events).to.deep.equal([['settled', told, { moved: true, moveBps: Math.log(1.01) * 1e4 }]]);
  });

  it('compares the move with the threshold, which it must exceed', () => {
    const moveBps = Math.abs(Math.log(99 / 100)) * 1e4;
    for (const [count, minMoveBps] of [[200, moveBps], [201, moveBps * (1 - 1e-12)]] as const) ask({ count, summary: { minMoveBps } }); // prettier-ignore
    remembered.settle(NAME, ticks(190, [...flat(13), ...flat(30, 99)]));
    expect(sum()).to.include({ outcomes: 2, moved: 1 });
  });

  it('cannot compare a forecast with ticks that lack its last tick, wherever they begin', () => {
    for (const [i, seconds] of [
      [198, 200],
      [200, 201],
      [198.5, 210],
      [199.001, 200],
    ].entries()) {
      // prettier-ignore
      const name = { accountId: 'a', series: `s${i}` };
      ask({ name });
      remembered.settle(name, { timesUs: Float64Array.from([...seconds, 220, 221], (s) => s * 1e6), prices: Float64Array.from(flat(4)) });
    }
    expect(sum()).to.include({ forecasts: 4, outcomes: 0, unscored: 4 });
  });

  it('takes 50 median gaps for a pause of the market if they are longer than half an hour', () => {
    for (const [medianGapS, unscored] of [
      [null, 1],
      [1, 1],
      [60, 0],
    ] as const) {
      // prettier-ignore
      added = [];
      const name = { accountId: 'a', series: `${medianGapS}` };
      ask({ name, horizonS: 3000, summary: { medianGapS } });
      const times = [199, 200, 2100, 3300];
      remembered.settle(name, { timesUs: Float64Array.from(times, (s) => s * 1e6), prices: Float64Array.from(flat(4)) });
      expect(sum().unscored, `${medianGapS} s`).to.equal(unscored);
    }
  });

  it('weighs only horizons of the same row: bucket, version and kind of threshold', () => {
    ask();
    for (const other of [{ horizonS: 200 }, { summary: { model: 'base-2' } }, { own: true, summary: { minMoveBps: 9 } }]) ask({ count: 205, ...other }); // prettier-ignore
    remembered.settle(NAME, ticks(150, flat(400)));
    expect(sum()).to.include({ outcomes: 4, squaredDifferenceSum: 4 * (0.5625 - 0.25) ** 2, markOverlapSum: 4 });
  });

  it('weighs no horizon that begins at the end of another one', () => {
    for (const count of [200, 210]) ask({ count });
    remembered.settle(NAME, ticks(150, flat(100)));
    expect(sum()).to.include({ outcomes: 2, squaredDifferenceSum: 2 * (0.5625 - 0.25) ** 2, markOverlapSum: 2 });
  });

  it('weighs an outcome by the number of overlapping horizons', () => {
    for (const count of [200, 205, 220]) ask({ count });
    remembered.settle(NAME, ticks(150, flat(100)));
    // Horizons [199, 209], [204, 214] and [219, 229]: at 209 two are open, at 214 and 229 one each; the first two have half in common.
    expect(sum()).to.include({ outcomes: 3, squaredDifferenceSum: 4 * (0.5625 - 0.25) ** 2, markOverlapSum: 2 + 1 + 1 });
  });

  it('remembers 64 forecasts a series and 256 series an account, and counts the others as unscored', () => {
    for (let i = 0; i < 70; i++) ask({ count: 200 + i });
    expect(sum()).to.include({ forecasts: 70, unscored: 6 });
    for (let i = 0; i < 256; i++) ask({ name: { accountId: 'a', series: `s${i}` } });
    expect(sum(({ series }) => series === 'eurusd')).to.include({ forecasts: 70, unscored: 70 });
    expect(sum(({ series }) => series !== 'eurusd')).to.include({ forecasts: 256, unscored: 0 });
  });

  it('remembers 50,000 forecasts of all accounts together, and all of an account however many the others have', () => {
    ask();
    for (let i = 0; i < 13 * 64 * 64; i++)
      ask({ count: 1 + (i % 64), name: { accountId: `b${i % 13}`, series: `s${Math.floor(i / 832)}` } });
    expect(sum(({ accountId }) => accountId === 'a')).to.include({ forecasts: 1, unscored: 0 });
    // A series is forgotten whole.
    expect(sum().unscored).to.be.within(13 * 64 * 64 + 1 - 50_000, 13 * 64 * 64 + 64 - 50_000);
    remembered.forget('a');
    remembered.close();
    expect(sum(({ accountId }) => accountId === 'a')).to.include({ forecasts: 1, unscored: 0 });
  }).timeout(20_000);

  it('counts what it still remembers as unscored when it closes', () => {
    ask();
    remembered.close();
    expect(sum()).to.include({ forecasts: 1, unscored: 1 });
  });

  it('counts a forecast once, and its outcome, if another process goes on with the series', () => {
    ask();
    const handed = JSON.parse(JSON.stringify(remembered.handOver(NAME))) as object[];
    expect(remembered.handOver(NAME)).to.deep.equal([]);
    remembered.takeOver(NAME, handed);
    ask();
    expect(sum()).to.include({ forecasts: 1, outcomes: 0 });
    remembered.settle(NAME, ticks(0, [...flat(200), ...flat(30, 101)]));
    expect(sum()).to.include({ forecasts: 1, outcomes: 1, unscored: 0 });
    remembered.takeOver(NAME, Array(100).fill(handed[0]));
    expect(sum().unscored, 'above 64').to.equal(36);
  });
});
