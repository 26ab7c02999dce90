import { expect } from 'chai';
import { MARKET_EXAMPLE } from '../../../../src/contract/markets.ts';
import type { MarketForecast, MarketForecastsAnswer } from '../../../../src/contract/markets.ts';
import { MarketSession } from '../../../../src/console/markets/MarketSession.ts';
import { WatchedSeries } from '../../../../src/console/live/WatchedSeries.ts';
import { Failure } from '../../../../src/console/service/failureText.ts';
import { writeTimestamp } from '../../../../src/ticks/timestamps.ts';

const NOW_MS = Date.now();

const forecast = (n: number, change: number, other: Partial<MarketForecast> = {}): MarketForecast => ({
  ...MARKET_EXAMPLE.forecasts[0].last!,
  ...{ n, change, price: 100 + n, last_tick: writeTimestamp(1000 * (NOW_MS + n)), volatility_probability: 0.2 },
  ...other,
});
const CAME = { moved: true, move_bps: 12, reason: null };

/** Answers of the service in their order; the session waits for the last one. */
async function read(...answers: (Partial<MarketForecastsAnswer> | Failure)[]) {
  const asked: number[] = [];
  const askedTicks: number[] = [];
  let done = (): void => {};
  const read = new Promise<void>((resolve) => (done = resolve));
  const session = new MarketSession({
    ...{ key: 'key', market: MARKET_EXAMPLE, onChange: () => asked.length >= answers.length && done() },
    service: {
      marketForecasts: (_key, _id, after, ticksFrom) => {
        const answer = answers[asked.length];
        asked.push(after);
        askedTicks.push(ticksFrom);
        return answer instanceof Failure ? Promise.reject(answer) : Promise.resolve({ forecasts: [], last: after, more: false, ...answer });
      },
    },
  });
  await read;
  return { session, asked, askedTicks };
}

describe('MarketSession', () => {
  it('reads all pages, in the order in which the forecasts were made', async () => {
    const { session, asked } = await read(
      { forecasts: [forecast(2, 3), forecast(0, 5, { outcome: CAME })], last: 5, more: true },
      { forecasts: [forecast(1, 6, { outcome: CAME, marked: false, status: 'none' })], last: 6 },
    );
    expect(asked).to.deep.equal([0, 5]);
    expect([...session.shown.series.prices]).to.deep.equal([100, 101, 102]);
    expect(session.shown.log.rows.map(({ message, outcome, tick }) => [message.n, outcome?.moved, tick])).to.deep.equal([
      [0, true, 0],
      [1, true, 1],
      [2, undefined, 2],
    ]);
    expect(session.settled.map(({ isMarked, moveBps, baselineProbability }) => [isMarked, moveBps, baselineProbability])).to.deep.equal([
      [true, 12, 0.2],
      [false, 12, 0.2],
    ]);
    session.stop();
    expect([session.isRunning, session.phase]).to.deep.equal([false, 'ended']);
  });

  it('ends where the market or the key is gone, and goes on after a service that does not answer', async () => {
    for (const [status, isRunning] of [
      [404, false],
      [401, false],
      [503, true],
      [0, true],
    ] as const) {
      const { session } = await read(new Failure('No.', { status }));
      expect([session.isRunning, session.phase, session.text()], String(status)).to.deep.equal([
        isRunning,
        'failed',
        isRunning ? 'No. The page asks again.' : 'No.',
      ]);
      session.stop();
    }
  });

  const ticks = (first: number, prices: readonly number[]): MarketForecastsAnswer['ticks'] => ({
    ...{ first, Price: [...prices] },
    Timestamp: prices.map((_, i) => writeTimestamp(1000 * (NOW_MS + 10 * (first + i)))),
  });

  it('draws the ticks that the service keeps, after older prices of forecasts, and none twice', async () => {
    const old = forecast(0, 1, { last_tick: writeTimestamp(1000 * (NOW_MS - 5000)) });
    const young = forecast(1, 2, { last_tick: writeTimestamp(1000 * (NOW_MS + 1010)), price: 7 });
    const { session, askedTicks } = await read(
      { forecasts: [old, young], last: 2, more: true, ticks: ticks(100, [5, 7]) },
      { ticks: ticks(102, [8, 9]) },
    );
    expect(askedTicks).to.deep.equal([0, 102]);
    expect([...session.shown.series.prices]).to.deep.equal([100, 5, 7, 8, 9]);
    expect(session.shown.log.rows.map(({ tick }) => tick)).to.deep.equal([0, 2]);
    expect(session.shown.breaks).to.deep.equal([]);
    session.stop();
  });

  it('draws no line over missing ticks', async () => {
    const { session } = await read({ ticks: ticks(0, [5, 6]), last: 1, more: true }, { ticks: ticks(4, [8]), last: 1 });
    expect([[...session.shown.series.prices], session.shown.breaks, session.shown.isResumed]).to.deep.equal([[5, 6, 8], [2], false]);
    session.stop();
  });

  it('has the ranges of bars', async () => {
    const bar = { ...ticks(0, [5])!, Open: [4], High: [6], Low: [3] };
    const { session } = await read({ ticks: bar });
    session.stop();
    expect(session.shown.series.bars, 'of ticks').to.equal(undefined);
    const of = new WatchedSeries({ series: 'a', forecasts: [], periodMs: 60_000 });
    of.push(1, 5, [4, 6, 3]);
    of.push(2, 7);
    const { periodMs, ranges } = of.series.bars!;
    expect([periodMs, ...[ranges!.open, ranges!.high, ranges!.low].map((column) => [...column])]).to.deep.equal([
      ...[60_000, [4, 7], [6, 7], [3, 7]],
    ]);
  });
});
