import { expect } from 'chai';
import { MARKET_EXAMPLE } from '../../../../src/contract/markets.ts';
import type { MarketForecast, MarketForecastsAnswer } from '../../../../src/contract/markets.ts';
import { MarketSession } from '../../../../src/console/markets/MarketSession.ts';
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
  const marks: number[] = [];
  let done = (): void => {};
  const read = new Promise<void>((resolve) => (done = resolve));
  const session = new MarketSession({
    ...{ key: 'key', market: MARKET_EXAMPLE, onChange: () => asked.length >= answers.length && done() },
    service: {
      marketForecasts: (_key, _id, after) => {
        const answer = answers[asked.length];
        asked.push(after);
        return answer instanceof Failure ? Promise.reject(answer) : Promise.resolve({ forecasts: [], last: after, more: false, ...answer });
      },
    },
    onMark: (_, { message }) => void marks.push(message.n),
  });
  await read;
  return { session, asked, marks };
}

describe('MarketSession', () => {
  it('reads all pages, in the order in which the forecasts were made', async () => {
    const { session, asked, marks } = await read(
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
    expect(marks, 'of now').to.deep.equal([0, 2]);
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

  it('tells of no mark of the past', async () => {
    const old = writeTimestamp(1000 * (NOW_MS - 3_600_000));
    const { session, marks } = await read({ forecasts: [forecast(0, 1, { last_tick: old })], last: 1 });
    expect([marks, session.shown.log.rows.length]).to.deep.equal([[], 1]);
    session.stop();
  });
});
