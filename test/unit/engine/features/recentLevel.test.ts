import { expect } from 'chai';
import { minuteMoves } from '../../../../src/engine/features/learnProfile.ts';
import { closesLevel, movesBefore, recentLevel } from '../../../../src/engine/features/recentLevel.ts';
import type { TickSeries } from '../../../../src/ticks/TickSeries.ts';

const MINUTE_US = 60e6;
/** 2024-01-02 00:00 UTC, minutes. */
const DAY = 1_704_153_600 / 60;
const PROFILE = { shape: Float64Array.from({ length: 1440 }, (_, minute) => (minute < 720 ? 0.5 : 1.5)), daylight: 'none' } as const;

/** A close each minute from `fromMinute` on; each move has the size `step` times the shape of its minute. */
function closes(fromMinute: number, count: number, step: number): TickSeries {
  let log = 0;
  const at = Array.from({ length: count }, (_, i) => fromMinute + i);
  return {
    timesUs: Float64Array.from(at, (minute) => minute * MINUTE_US + 59e6),
    prices: Float64Array.from(at, (minute, i) => {
      log += (i % 2 === 0 ? 1 : -1) * step * PROFILE.shape[minute % 1440]!;
      return 100 * Math.exp(log);
    }),
  };
}

describe('the level of closes', () => {
  const levelOf = (given: TickSeries, beforeMinute: number): number | null => closesLevel(given, beforeMinute * MINUTE_US, PROFILE);

  it('is the mean move over what the shape expects, whatever the hour', () => {
    const night = levelOf(closes(DAY, 300, 1e-4), DAY + 300) as number;
    const noon = levelOf(closes(DAY + 500, 600, 1e-4), DAY + 1100) as number;
    expect(night).to.be.closeTo(1e-4 / Math.sqrt((2 / Math.PI) * 60), 1e-9);
    expect(noon).to.be.closeTo(night, 1e-9);
    expect(levelOf(closes(DAY, 300, 2e-4), DAY + 300)).to.be.closeTo(2 * night, 1e-9);
  });

  it('uses the last day of open minutes only', () => {
    const old = closes(DAY, 700, 9e-4);
    const recent = closes(DAY + 700, 1441, 1e-4);
    const both = {
      timesUs: Float64Array.from([...old.timesUs, ...recent.timesUs]),
      prices: Float64Array.from([...old.prices, ...recent.prices]),
    };
    expect(levelOf(both, DAY + 2141)).to.be.closeTo(levelOf(recent, DAY + 2141) as number, 1e-12);
  });

  it('uses no close of the minute of the first tick or later', () => {
    const given = closes(DAY, 400, 1e-4);
    const wild = { ...given, prices: given.prices.map((price, i) => (i >= 300 ? price * 3 : price)) };
    expect(levelOf(wild, DAY + 300)).to.equal(levelOf(given, DAY + 300));
  });

  it('counts the last close of a minute', () => {
    const given = closes(DAY, 300, 1e-4);
    const doubled = {
      timesUs: Float64Array.from([...given.timesUs].flatMap((us) => [us - 1e6, us])),
      prices: Float64Array.from([...given.prices].flatMap((price) => [7, price])),
    };
    expect(levelOf(doubled, DAY + 300)).to.equal(levelOf(given, DAY + 300));
  });

  it('is unknown below an hour, after four days, and without a move', () => {
    expect(levelOf(closes(DAY, 59, 1e-4), DAY + 59)).to.equal(null);
    expect(levelOf(closes(DAY, 61, 1e-4), DAY + 61)).to.be.a('number');
    expect(levelOf(closes(DAY, 300, 1e-4), DAY + 6 * 1440)).to.equal(null);
    expect(levelOf(closes(DAY, 300, 0), DAY + 300)).to.equal(null);
    // Five closes with half an hour between them are open minutes with a level that is far too low.
    const sparse = {
      timesUs: Float64Array.from([0, 30, 60, 90, 120], (at) => (DAY + at) * MINUTE_US),
      prices: Float64Array.of(1, 2, 1, 2, 1),
    };
    expect(levelOf(sparse, DAY + 121)).to.equal(null);
  });

  it('is the same from the moves of weeks, as in training', () => {
    const { timesUs, prices } = closes(DAY, 2000, 1e-4);
    const minutes = timesUs.map((us) => Math.floor(us / MINUTE_US));
    const moves = minuteMoves(minutes, prices);
    const beforeMinute = DAY + 1700;
    const sent = { timesUs: timesUs.slice(200, 1700), prices: prices.slice(200, 1700) };
    expect(recentLevel(moves, movesBefore(moves, beforeMinute), beforeMinute, PROFILE)).to.be.closeTo(
      levelOf(sent, beforeMinute) as number,
      1e-15,
    );
  });
});
