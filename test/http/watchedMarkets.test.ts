import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { appendFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import type { MarketAnswer, MarketForecastsAnswer, MarketTicks } from '../../src/contract/markets.ts';
import { BPS_PER_UNIT } from '../../src/core/units.ts';
import { exportAccounts } from '../../src/service/accounts/transfer/exportAccounts.ts';
import { importAccounts } from '../../src/service/accounts/transfer/importAccounts.ts';
import type { TickSeries } from '../../src/ticks/TickSeries.ts';
import { parseTimestampUs } from '../../src/ticks/timestamps.ts';
import { startAccountService, type AccountRig } from '../support/accountService.ts';
import { makeStoreLocation, STORE_KINDS, type StoreLocation } from '../support/eachStore.ts';
import { findAt, LocalExchange } from '../support/LocalExchange.ts';
import { openNamedStore } from '../support/openNamedStore.ts';
import { SteppedClock } from '../support/SteppedClock.ts';
import { until } from '../support/until.ts';
import { walkTicks } from '../support/walkTicks.ts';
import { expectAll, forecastsOf, hasSeen, partOf } from '../support/watchedForecasts.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const SYMBOL = 'BTCUSDT';
const START_US = Date.UTC(2026, 0, 15, 12) * 1000;

/** A target of alerts, with the bodies by their ids: a service that stops before it has stored an answer sends an alert again. */
async function startTarget(): Promise<{ readonly url: string; bodies(): readonly string[]; close(): void }> {
  const received = new Map<unknown, string>();
  const server = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => (body += part));
    request.on('end', () => {
      received.set(request.headers['webhook-id'], body);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, bodies: () => [...received.values()], close: () => server.close().closeAllConnections() };
}

for (const kind of STORE_KINDS)
  describe(`markets that the service watches: ${kind}`, function () {
    this.timeout(180_000);
    let place: StoreLocation;
    let exchange: LocalExchange;
    let rig: AccountRig;
    let key: unknown;
    let clock: SteppedClock;

    const start = async (): Promise<void> => {
      rig = await startAccountService(
        place,
        { MARKET_FORECASTS: '1000', WEBHOOK_PRIVATE_ADDRESSES: 'true' },
        { clock, findMarket: findAt(exchange.port) },
      );
    };
    beforeEach(async function () {
      clock = new SteppedClock();
      place = await makeStoreLocation(kind, this);
      exchange = await new LocalExchange().listen();
      await start();
      key = (await rig.signUp('watch@example.com')).json['api_key'];
    });
    afterEach(async () => {
      await rig?.close();
      exchange.close();
      await place?.dispose();
    });

    const add = async (body: object): Promise<string> => {
      const market = { exchange: 'binance', symbol: 'BTC/USDT', horizons: ['60s'], every: '30s', ...body };
      return (await rig.withKey(key, '/account/markets', { body: market })).json['id'] as string;
    };
    const marketOf = async (id: string): Promise<MarketAnswer> =>
      (await rig.withKey(key, `/account/markets/${id}`)).json as unknown as MarketAnswer;
    const ask = async (path: string): Promise<unknown> => (await rig.withKey(key, `/account/markets${path}`)).json;

    it('makes and scores all forecasts of an hour while no client is connected', async () => {
      const ticks = walkTicks({ seed: 3, count: 4600, meanGapMs: 1000, startUs: START_US });
      const id = await add({ cost_bps: 2 });
      await exchange.watched(SYMBOL);
      exchange.trade(SYMBOL, partOf(ticks, 0));
      await hasSeen(ask, id, ticks);
      const forecasts = await expectAll(ask, id, ticks);
      expect(forecasts.length).to.be.above(120);
      const {
        state,
        price,
        series,
        forecasts: [{ last, score }],
      } = await marketOf(id);
      expect([state, price, last?.n]).to.deep.equal(['live', ticks.prices.at(-1), forecasts.length - 1]);
      const outcomes = forecasts.filter(({ outcome }) => typeof outcome?.moved === 'boolean');
      expect(score).to.deep.include({
        outcomes: outcomes.length,
        base_rate: outcomes.filter(({ outcome }) => outcome!.moved).length / outcomes.length,
      });
      expect(score?.interval).to.have.length(2);
      let booked = 0;
      await until(async () => {
        const record = await rig.withKey(key, `/auth/track-record?series=${series}`);
        return (booked = (record.json['sum'] as { outcomes: number }).outcomes) > 0;
      });
      expect(booked).to.equal(outcomes.length);
    });

    it('goes on after a restart with its forecasts, its ticks and the outcomes that it waited for', async () => {
      const ticks = walkTicks({ seed: 4, count: 1500, meanGapMs: 1000, startUs: START_US });
      const id = await add({ cost_bps: 2 });
      await exchange.watched(SYMBOL);
      exchange.trade(SYMBOL, partOf(ticks, 0, 700));
      await hasSeen(ask, id, ticks, 700);
      await expectAll(ask, id, ticks, 700);
      await rig.close();
      // Trades that only the history of the exchange has.
      exchange.trade(SYMBOL, partOf(ticks, 700, 900), false);
      await start();
      await exchange.watched(SYMBOL, 2);
      exchange.trade(SYMBOL, partOf(ticks, 900));
      await hasSeen(ask, id, ticks);
      await expectAll(ask, id, ticks);
      expect((await marketOf(id)).state).to.equal('live');
    });

    it('goes on after a restart whose last kept tick was stamped a century ahead', async () => {
      const ticks = walkTicks({ seed: 8, count: 3500, meanGapMs: 1000, startUs: START_US });
      const id = await add({});
      await exchange.watched(SYMBOL);
      exchange.trade(SYMBOL, [{ timeMs: START_US / 1000 + 100 * 365 * 86_400_000, price: 100 }]);
      await until(async () => (await marketOf(id)).price === 100);
      await rig.close();
      await start();
      await exchange.watched(SYMBOL, 2);
      exchange.trade(SYMBOL, partOf(ticks, 0));
      await until(async () => (await marketOf(id)).price === ticks.prices.at(-1));
      const { state, last_tick: last } = await marketOf(id);
      expect([state, last?.startsWith('2026')]).to.deep.equal(['live', true]);
    });

    it('can be exported with its forecasts and scores, and imported into an empty store', async function () {
      const ticks = walkTicks({ seed: 13, count: 500, meanGapMs: 1000, startUs: START_US });
      const id = await add({ cost_bps: 2 });
      await exchange.watched(SYMBOL);
      exchange.trade(SYMBOL, partOf(ticks, 0));
      await hasSeen(ask, id, ticks);
      const told = await expectAll(ask, id, ticks);
      await rig.close();
      const from = await openNamedStore(kind, place.place);
      const file = path.join(temporaryFolder(), 'accounts.ndjson');
      for await (const line of exportAccounts(from, clock)) appendFileSync(file, line);
      const [{ accountId }] = await from.listMarkets();
      const state = (await from.marketStates(accountId)).get(id);
      await from.close();
      const empty = await makeStoreLocation(kind, this);
      const to = await openNamedStore(kind, empty.place);
      await importAccounts(to, file, clock);
      const all = await to.marketForecasts({ accountId, id }, 0, 1000);
      const found = [all.toSorted((a, b) => a.n - b.n), (await to.marketStates(accountId)).get(id), (await to.listMarkets()).length];
      await to.close();
      await empty.dispose();
      expect(found).to.deep.equal([told, state, 1]);
    });

    it('says where ticks are missing, and leaves what they would show without an outcome', async () => {
      const ticks = walkTicks({ seed: 5, count: 900, meanGapMs: 1000, startUs: START_US });
      const id = await add({});
      await exchange.watched(SYMBOL);
      exchange.trade(SYMBOL, partOf(ticks, 0, 400));
      await hasSeen(ask, id, ticks, 400);
      const before = await expectAll(ask, id, ticks, 400);
      exchange.history = 0;
      exchange.trade(SYMBOL, partOf(ticks, 400, 420), false);
      exchange.trade(SYMBOL, partOf(ticks, 420, 500));
      await until(async () => (await marketOf(id)).state === 'gap');
      expect((await marketOf(id)).reason).to.include('trades are missing');
      const open = before.filter(({ outcome }) => outcome === null).map(({ n }) => n);
      expect(open).to.not.deep.equal([]);
      let after = before;
      await until(async () => {
        after = await forecastsOf(ask, id);
        return open.every((n) => after[n].outcome !== null);
      });
      for (const n of open) expect(after[n].outcome).to.deep.equal({ moved: null, move_bps: null, reason: 'missing_ticks' });
      exchange.trade(SYMBOL, partOf(ticks, 500));
      await hasSeen(ask, id, ticks);
      await until(async () => (await marketOf(id)).state === 'live');
    });

    it('gives the ticks that it keeps from a number on, and those after a gap with a number of their own', async () => {
      const ticks = walkTicks({ seed: 11, count: 700, meanGapMs: 1000, startUs: START_US });
      const id = await add({});
      await exchange.watched(SYMBOL);
      exchange.trade(SYMBOL, partOf(ticks, 0, 300));
      const kept = async (from: number): Promise<MarketTicks> =>
        ((await ask(`/${id}/forecasts?ticks_from=${from}`)) as MarketForecastsAnswer).ticks!;
      const until300 = async (): Promise<MarketTicks> => {
        let found = await kept(0);
        await until(async () => (found = await kept(0)).Price.length === 300);
        return found;
      };
      const { first, Timestamp: stamps, Price: prices } = await until300();
      expect([first, stamps.map(parseTimestampUs), prices]).to.deep.equal([
        ...[0, [...ticks.timesUs.subarray(0, 300)], [...ticks.prices.subarray(0, 300)]],
      ]);
      expect((await kept(298)).Price).to.deep.equal(prices.slice(298));
      expect(await kept(300)).to.deep.equal({ first: 300, Timestamp: [], Price: [] });
      expect((await ask(`/${id}/forecasts?after=0`)) as object).to.not.have.property('ticks');
      exchange.history = 0;
      exchange.trade(SYMBOL, partOf(ticks, 300, 320), false);
      exchange.trade(SYMBOL, partOf(ticks, 320));
      let after = await kept(300);
      await until(async () => (after = await kept(300)).Price.length === 380);
      expect(after.first).to.be.above(300);
      expect(after.Price).to.deep.equal([...ticks.prices.subarray(320)]);
    });

    it('sends an alert of the price that the rule of a market names', async () => {
      const target = await startTarget();
      await rig.asOwner('watch@example.com', '/account/webhooks', { body: { url: target.url } });
      const ticks = walkTicks({ seed: 12, count: 800, meanGapMs: 1000, startUs: START_US });
      const touch = ticks.prices[399];
      const id = await add({ alert: { touch, min_probability: 0.01, pause_minutes: 1440 } });
      await exchange.watched(SYMBOL);
      exchange.trade(SYMBOL, partOf(ticks, 0, 400));
      await hasSeen(ask, id, ticks, 400);
      await until(() => target.bodies().some((body) => body.includes('forecast.marked')));
      const { data } = JSON.parse(target.bodies().find((body) => body.includes('forecast.marked'))!) as { data: Record<string, unknown> };
      const stamps = (): number[] => {
        const marked = target.bodies().filter((body) => body.includes('forecast.marked'));
        return marked.map((body) => parseTimestampUs((JSON.parse(body) as { data: { last_tick: string } }).data.last_tick));
      };
      expect(data).to.deep.include({ series: 'binance:BTC-USDT', touch });
      expect(data['touch_probability']).to.be.at.least(0.01);
      expect(data['text']).to.match(new RegExp(`^The price ${touch} is reached`));
      // The pause goes on after a restart; without it, there is another one.
      await rig.close();
      await start();
      await exchange.watched(SYMBOL, 2);
      exchange.trade(SYMBOL, partOf(ticks, 400, 600));
      // A forecast that is told after the change has the rule after it.
      await expectAll(ask, id, ticks, 600);
      await rig.withKey(key, `/account/markets/${id}`, { method: 'PATCH', body: { alert: { touch, min_probability: 0.01 } } });
      exchange.trade(SYMBOL, partOf(ticks, 600));
      await until(() => stamps().some((stamp) => stamp > ticks.timesUs[600]));
      target.close();
      expect(stamps().filter((stamp) => stamp < ticks.timesUs[600])).to.have.length(1);
    });

    it('takes a changed cost from the next forecast on, and scores it apart', async () => {
      const ticks = walkTicks({ seed: 6, count: 1200, meanGapMs: 1000, startUs: START_US });
      const id = await add({ cost_bps: 2 });
      await exchange.watched(SYMBOL);
      exchange.trade(SYMBOL, partOf(ticks, 0, 600));
      await hasSeen(ask, id, ticks, 600);
      const before = await expectAll(ask, id, ticks, 600);
      await rig.withKey(key, `/account/markets/${id}`, { method: 'PATCH', body: { cost_bps: 5 } });
      await until(async () => (await marketOf(id)).forecasts[0].score === null);
      exchange.trade(SYMBOL, partOf(ticks, 600));
      await hasSeen(ask, id, ticks);
      const all = await expectAll(ask, id, ticks);
      expect(all.map(({ min_move_bps: bps }) => bps)).to.deep.equal(all.map((_, n) => (n < before.length ? 2 : 5)));
      const { score } = (await marketOf(id)).forecasts[0];
      expect(score?.forecasts).to.equal(all.length - before.length);
    });

    // The store has no part in the rest.
    if (kind !== 'sqlite') return;

    it('makes no forecast whose future has passed, such as of trades before the stream', async () => {
      const ticks = walkTicks({ seed: 9, count: 900, meanGapMs: 1000, startUs: clock.nowMs() * 1000 - 600e6 });
      const isPast = (timeUs: number): boolean => timeUs + 60e6 <= clock.nowMs() * 1000;
      exchange.trade(SYMBOL, partOf(ticks, 0, 899), false);
      const id = await add({});
      await exchange.watched(SYMBOL);
      exchange.trade(SYMBOL, partOf(ticks, 899));
      await hasSeen(ask, id, ticks);
      const wanted = Array.from(ticks.timesUs.subarray(198)).filter((timeUs) => !isPast(timeUs));
      const forecasts = await forecastsOf(ask, id);
      for (const { last_tick: stamp } of forecasts) expect(isPast(parseTimestampUs(stamp)), stamp).to.equal(false);
      expect(forecasts.length > 0).to.equal(wanted.length > 0);
    });

    it('makes bars of trades, and forecasts from close to close', async () => {
      const ticks = walkTicks({ seed: 10, count: 1500, meanGapMs: 500, startUs: START_US });
      const id = await add({ kind: 'bars', period: '1s', horizons: ['3bars'], every: 'tick' });
      await exchange.watched(SYMBOL);
      exchange.trade(SYMBOL, partOf(ticks, 0));
      const secondOf = (timeUs: number): number => Math.floor(timeUs / 1e6);
      const closes = Array.from(ticks.timesUs, (timeUs, i) => [(secondOf(timeUs) + 1) * 1e6, ticks.prices[i]] as const);
      // The first bar may lack its beginning, and the last one has not ended.
      const bars = [...new Map(closes)].slice(0, -1).filter(([endUs]) => endUs - 1e6 >= START_US);
      const wanted = bars.slice(198);
      let made = await forecastsOf(ask, id);
      await until(async () => (made = await forecastsOf(ask, id)).length >= wanted.length);
      expect(made.map(({ last_tick: stamp, price }) => [parseTimestampUs(stamp), price])).to.deep.equal(wanted);
    });

    /** Closes of the minutes that end up to a time, of all ticks before `end`. */
    const closesOf = ({ timesUs, prices }: TickSeries, untilUs: number, end = timesUs.length): [number, number][] => {
      const closes = new Map(Array.from(timesUs.subarray(0, end), (timeUs, i) => [60e6 * (Math.floor(timeUs / 60e6) + 1), prices[i]]));
      return [...closes].filter(([endUs]) => endUs <= untilUs);
    };

    it('begins bars with those that the exchange has, and reads what a gap or a restart has left out', async () => {
      const beginMs = clock.nowMs();
      const ticks = walkTicks({ seed: 11, count: 6000, meanGapMs: 5000, startUs: 1000 * (beginMs - 300 * 60_000) });
      const before = ticks.timesUs.findIndex((timeUs) => timeUs >= 1000 * beginMs);
      exchange.trade(SYMBOL, partOf(ticks, 0, before), false);
      // It has no trades of the past, only bars.
      exchange.history = 0;
      const id = await add({ kind: 'bars', period: '1m', horizons: ['3bars'], every: 'tick', cost_bps: 2 });
      await exchange.watched(SYMBOL);
      exchange.trade(SYMBOL, partOf(ticks, before, before + 1));
      await until(async () => (await forecastsOf(ask, id)).length > 0);
      const known = closesOf(ticks, ticks.timesUs[before], before);
      expect((await marketOf(id)).ticks).to.equal(known.length);
      const [made] = (await forecastsOf(ask, id)).slice(-1);
      expect([parseTimestampUs(made.last_tick), made.price]).to.deep.equal(known.at(-1));

      const play = async (from: number, to: number, isHeard = true): Promise<void> => {
        clock.advance(Math.max(0, ticks.timesUs[to - 1] / 1000 - clock.nowMs()));
        exchange.trade(SYMBOL, partOf(ticks, from, to), isHeard);
      };
      const expectBars = async (end: number): Promise<void> => {
        const wanted = closesOf(ticks, ticks.timesUs[end - 1], end);
        const [lastUs, last] = wanted.at(-1)!;
        await until(async () => parseTimestampUs((await marketOf(id)).last_tick ?? '') === lastUs);
        expect(await marketOf(id)).to.deep.include({ ticks: wanted.length, price: last });
        const closes = new Map(wanted);
        const isOver = (stamp: string): boolean => parseTimestampUs(stamp) < lastUs;
        let all = await forecastsOf(ask, id);
        await until(async () => (all = await forecastsOf(ask, id)).every(({ future, outcome }) => !isOver(future) || outcome !== null));
        for (const { last_tick: stamp, price, future, outcome } of all) {
          expect(closes.get(parseTimestampUs(stamp)), stamp).to.equal(price);
          const move = Math.log(closes.get(parseTimestampUs(future))! / price) * BPS_PER_UNIT;
          if (isOver(future)) expect(outcome!.move_bps, stamp).to.be.closeTo(move, 1e-6);
        }
      };
      await play(before + 1, before + 40);
      await expectBars(before + 40);
      // Two minutes that only the exchange has, and no trades of them.
      await play(before + 40, before + 70, false);
      await play(before + 70, before + 100);
      await expectBars(before + 100);
      await rig.close();
      await play(before + 100, before + 130, false);
      await start();
      await exchange.watched(SYMBOL, 2);
      await play(before + 130, before + 160);
      await expectBars(before + 160);
    });

    it('takes the mid of quotes, and says their spread', async () => {
      const id = await add({ kind: 'quotes' });
      await exchange.watched(SYMBOL);
      for (let i = 0; i < 50; i++) exchange.quote(SYMBOL, 99.99, 100.01);
      await until(async () => (await marketOf(id)).ticks === 50);
      const { price, spread_bps: spread, state } = await marketOf(id);
      expect([price, state]).to.deep.equal([100, 'live']);
      expect(spread).to.be.closeTo(2, 1e-9);
    });

    it('connects once for all accounts that watch a market', async () => {
      const ticks = walkTicks({ seed: 7, count: 400, meanGapMs: 1000, startUs: START_US });
      const first = await add({});
      const owner = key;
      key = (await rig.signUp('other@example.com')).json['api_key'];
      const second = await add({ cost_bps: 3 });
      await exchange.watched(SYMBOL);
      exchange.trade(SYMBOL, partOf(ticks, 0, 50));
      await hasSeen(ask, second, ticks, 50);
      exchange.trade(SYMBOL, partOf(ticks, 50));
      await hasSeen(ask, second, ticks);
      const others = await expectAll(ask, second, ticks);
      key = owner;
      await hasSeen(ask, first, ticks);
      const own = await expectAll(ask, first, ticks);
      expect([exchange.connections.get(SYMBOL), own.length]).to.deep.equal([1, others.length]);
    });
  });
