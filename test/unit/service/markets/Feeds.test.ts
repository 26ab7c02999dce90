import { expect } from 'chai';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { SeriesRates } from '../../../../src/engine/live/SeriesRates.ts';
import type { SeriesForecast } from '../../../../src/service/live/ForecastEvents.ts';
import { NO_TRACK_RECORD } from '../../../../src/service/live/TrackRecord.ts';
import { Feeds, type FeedsDeps } from '../../../../src/service/markets/Feeds.ts';
import { feedOf, type Market } from '../../../../src/service/markets/Market.ts';
import type { MarketStore } from '../../../../src/service/markets/MarketStore.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { fakeForecaster } from '../../../support/fakeForecaster.ts';
import { MemoryMarkets } from '../../../support/MemoryMarkets.ts';
import { sampleAccount } from '../../../support/sampleAccount.ts';
import { walkTicks } from '../../../support/walkTicks.ts';

const marketOf = (symbol: string): Market => ({
  ...{ id: symbol, exchange: 'binance', symbol, kind: 'trades', period: null, horizons: ['60s'], every: '5s' },
  ...{ costBps: 2, alert: null, createdAtMs: 1 },
});
const [SLOW, OTHER] = [marketOf('BTC/USDT'), marketOf('ETH/USDT')];
const silent = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} };

describe('Feeds', () => {
  const clock = new FakeClock();
  let store: MemoryMarkets;
  let feeds: Feeds;
  let opened: string[];
  beforeEach(() => {
    store = new MemoryMarkets();
    opened = [];
    const account = { ...sampleAccount('a'), markets: [SLOW, OTHER] };
    store.accounts.set(account.id, account);
  });
  afterEach(() => feeds.close());

  /** Feeds whose exchange sends these lines to all, over the store with some of its calls changed. */
  function start(changed: Partial<MarketStore> = {}, lines = '', parts: Partial<FeedsDeps['parts']> = {}): void {
    const calls = new Proxy(store, {
      get: (target, name) => {
        const own = changed[name as keyof MarketStore] ?? (Reflect.get(target, name) as unknown);
        return typeof own === 'function' ? (own.bind(target) as unknown) : own;
      },
    });
    feeds = new Feeds({
      ...{ store: calls, clock, logger: silent as never, random: () => 0.5, most: 10, refusal: () => undefined },
      bars: async () => undefined,
      open: async function* (feed, { signal }) {
        opened.push(feed.symbol);
        if (lines !== '') yield lines;
        if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      },
      parts: {
        ...{ store: calls, clock, rates: new SeriesRates(), trackRecord: NO_TRACK_RECORD, memories: undefined, mostForecasts: 10 },
        ...{ events: { wants: () => false, made: () => {}, settled: () => {}, flush: () => Promise.resolve() }, usesMemory: () => false },
        compute: () => Promise.reject(new Error('no forecast is due')),
        ...{ onSkipped: () => '', onForecast: () => {}, ...parts },
      },
    });
    feeds.start();
  }
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 50; i++) await nextIteration();
  };
  const step = async (): Promise<void> => {
    clock.advance(1000);
    await settle();
  };

  it('gives a sign of life for its leases while one feed waits for the store', async () => {
    let goOn = (): void => {};
    const waits = new Promise<void>((resolve) => (goOn = resolve));
    start({
      async feedLog(name) {
        if (name === feedOf(OTHER)) await waits;
        return store.feedLog.call(store, name);
      },
    });
    await settle();
    const beatOf = (): number => store.held.find(({ feed }) => feed === feedOf(SLOW))!.beat;
    const before = beatOf();
    for (let i = 0; i < 5; i++) await step();
    expect(beatOf() - before).to.equal(5);
    goOn();
    await settle();
    expect(opened).to.have.members([SLOW.symbol, OTHER.symbol]);
  });

  it('begins the other feeds where one cannot begin, gives its lease back, and tries it again', async () => {
    let isDamaged = true;
    start({
      async feedLog(name) {
        if (isDamaged && name === feedOf(SLOW)) throw new ServiceError('store.unavailable', 'It is damaged.');
        return [];
      },
    });
    await settle();
    expect([opened, store.held.map(({ feed }) => feed)]).to.deep.equal([[OTHER.symbol], [feedOf(OTHER)]]);
    isDamaged = false;
    await step();
    expect(opened).to.deep.equal([OTHER.symbol, SLOW.symbol]);
  });

  it('takes a lease of its own whose claim was stored, and not answered', async () => {
    let isLost = true;
    start({
      async claimFeed(feed, owner, seen) {
        const lease = await store.claimFeed(feed, owner, seen);
        if (isLost && feed === feedOf(SLOW)) {
          isLost = false;
          throw new ServiceError('store.unavailable', 'No answer.');
        }
        return lease;
      },
    });
    await settle();
    expect(opened).to.deep.equal([OTHER.symbol]);
    for (let i = 0; i < 3; i++) await step();
    expect(opened).to.deep.equal([OTHER.symbol, SLOW.symbol]);
  });

  it('keeps what targets were told of its last forecasts, which is decided when the alerts are stored', async () => {
    const { timesUs, prices } = walkTicks({ seed: 3, count: 300 });
    const trades = Array.from(timesUs, (timeUs, i) => ({ e: 'trade', s: 'BTCUSDT', t: i + 1, p: String(prices[i]), T: timeUs / 1000 }));
    const made: SeriesForecast[] = [];
    const { forecaster } = fakeForecaster();
    start({}, trades.map((trade) => `${JSON.stringify(trade)}\n`).join(''), {
      compute: (...asked) => forecaster.forecast(...asked),
      events: {
        wants: () => true,
        made: (forecast) => void made.push(forecast),
        settled: () => {},
        flush: async () => made.forEach(({ told }) => told!.set('target', { sentMs: 5, open: [] })),
      },
    });
    await settle();
    await feeds.close();
    expect(made.length).to.be.above(0);
    const states = await store.marketStates('a');
    expect(states.get(SLOW.id)!.alerts).to.deep.equal({ target: { sentMs: 5, open: [] } });
  });
});
