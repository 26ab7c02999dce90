import { expect } from 'chai';
import type { TickForecast } from '../../../../src/engine/forecast/Forecaster.ts';
import { SeriesRates } from '../../../../src/engine/live/SeriesRates.ts';
import { NO_TRACK_RECORD } from '../../../../src/service/live/TrackRecord.ts';
import type { Market } from '../../../../src/service/markets/Market.ts';
import type { MarketParts } from '../../../../src/service/markets/MarketParts.ts';
import { WatchedMarket } from '../../../../src/service/markets/WatchedMarket.ts';
import { writeTimestamp } from '../../../../src/ticks/timestamps.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { fakeForecaster } from '../../../support/fakeForecaster.ts';
import { MemoryMarkets } from '../../../support/MemoryMarkets.ts';
import { walkTicks } from '../../../support/walkTicks.ts';

const KEY = { accountId: 'a', id: 'm' };
const MARKET: Market = {
  ...{ id: 'm', exchange: 'binance', symbol: 'BTC/USDT', kind: 'trades', period: null, horizons: ['10s', '60s'], every: '5s' },
  ...{ costBps: 2, alert: null, createdAtMs: 1 },
};
const FED = { state: 'live', reason: null, since: '2024-01-01T00:00:00.000Z' } as const;
const { timesUs, prices } = walkTicks({ seed: 9, count: 600 });
const TICKS = Array.from(timesUs, (timeUs, i) => ({ timeUs, price: prices[i] }));

describe('WatchedMarket', () => {
  const { forecaster } = fakeForecaster();

  /** A process that feeds the market; `compute` in place of that of the forecaster. */
  function processOf(store: MemoryMarkets, compute: MarketParts['compute'] = (...asked) => forecaster.forecast(...asked)): WatchedMarket {
    const parts: MarketParts = {
      ...{ store, clock: new FakeClock(timesUs[0] / 1000), rates: new SeriesRates(), trackRecord: NO_TRACK_RECORD, memories: undefined },
      ...{
        events: { wants: () => false, made: () => {}, settled: () => {}, flush: () => Promise.resolve() },
        usesMemory: () => false,
        compute,
        mostForecasts: 1000,
      },
      ...{ onSkipped: () => 'busy', onForecast: () => {}, onRow: () => {} },
    };
    return new WatchedMarket(parts, KEY, MARKET);
  }
  async function write(store: MemoryMarkets, market: WatchedMarket): Promise<void> {
    const { state, forecasts, written } = market.take(FED);
    await store.importMarkets({ states: [state], forecasts });
    written();
  }
  const told = (store: MemoryMarkets) =>
    store.rows.map(({ forecast: { horizon, last_tick, outcome } }) => `${horizon} ${last_tick} ${JSON.stringify(outcome)}`).sort();

  it('makes the forecasts that were in flight when the process before ended, once, and those of its last ticks', async () => {
    const [whole, broken] = [new MemoryMarkets(), new MemoryMarkets()];
    const one = processOf(whole);
    await one.begin([], undefined);
    for (const tick of TICKS) await one.push(tick);
    await one.close();
    await write(whole, one);

    const died = 400;
    const isLast = (origin: number): boolean => origin >= timesUs[died - 30];
    const before = processOf(broken, (request, call) =>
      isLast(request.series.timesUs.at(-1)!) ? new Promise<TickForecast>(() => {}) : forecaster.forecast(request, call),
    );
    await before.begin([], undefined);
    for (const tick of TICKS.slice(0, died)) await before.push(tick);
    await new Promise((resolve) => setImmediate(resolve));
    await write(broken, before);
    const last = broken.rows.map(({ forecast }) => forecast.last_tick).sort().at(-1)!; // prettier-ignore
    expect(last < writeTimestamp(timesUs[died - 30])).to.equal(true);

    const after = processOf(broken);
    await after.begin(TICKS.slice(0, died), timesUs[died - 1]);
    for (const tick of TICKS.slice(died)) await after.push(tick);
    await after.close();
    await write(broken, after);
    expect(told(broken)).to.deep.equal(told(whole));
    expect(new Set(told(broken)).size).to.be.above(20).and.to.equal(broken.rows.length); // prettier-ignore
  });

  it('makes no forecast of what was before a market was added', async () => {
    const store = new MemoryMarkets();
    const added = processOf(store);
    await added.begin(TICKS.slice(0, 500), timesUs[499]);
    await added.close();
    await write(store, added);
    expect(told(store)).to.deep.equal([]);
  });
});
