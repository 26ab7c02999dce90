import { expect } from 'chai';
import type { WebSocketRoute } from 'playwright-core';
import { MARKET_EXAMPLE } from '../../src/contract/markets.ts';
import type { MarketAnswer, MarketForecast } from '../../src/contract/markets.ts';
import { TRACK_RECORD_EXAMPLE } from '../../src/contract/trackRecord.ts';
import { writeTimestamp } from '../../src/ticks/timestamps.ts';
import { PlayedTrades } from './support/PlayedTrades.ts';
import { consoleSuite } from './support/consoleSuite.ts';
import { expectAccessible, expectNoOverflow, expectTouchTargets } from './support/pageChecks.ts';
import { signUp, textOf } from './support/steps.ts';

/** As many forecasts of 5 min as of a day, one each 5 minutes, all but the last with outcomes. */
function forecastsOf(count: number, nowMs: number): MarketForecast[] {
  return Array.from({ length: count }, (_, n) => {
    const timeMs = nowMs - (count - n) * 300_000;
    const moved = n % 7 === 0;
    const marked = n % 5 === 0;
    return {
      ...MARKET_EXAMPLE.forecasts[0].last!,
      ...{
        n,
        change: n + 1,
        price: 42_000 + 50 * Math.sin(n / 5),
        marked,
        status: marked ? 'identified' : 'none',
        probability: marked ? 0.41 : 0.1,
      },
      ...{
        last_tick: writeTimestamp(1000 * timeMs),
        future: writeTimestamp(1000 * (timeMs + 300_000)),
        volatility_probability: 0.1 + (n % 10) / 50,
      },
      outcome: n === count - 1 ? null : { moved, move_bps: moved ? 12 : 1, reason: null },
    } as MarketForecast;
  });
}

consoleSuite('watched markets in the console', (suite) => {
  it('are watched by the page without an account, after two actions, and remembered', async () => {
    const trades = new PlayedTrades();
    const options = { viewport: { width: 390, height: 844 }, isAlone: true, asks: 'https://api.binance.com/', prepare: trades.prepare };
    const page = await suite.open(options);
    await page.locator('#live-link').click();
    await page.locator('#market-add').click();
    const row = page.locator('.market', { hasText: 'Binance BTC/USDT' });
    await row.locator('.chances li', { hasText: /^An unusually large move within 10 s: \d/ }).waitFor();
    expect(await textOf(page, '#market-list')).to.not.match(/opportunity/i);
    await page.locator('#live-rows tr', { hasText: '10 s' }).first().waitFor();
    await expectAccessible(page);
    await expectNoOverflow(page);
    await expectTouchTargets(page);
    expect(await textOf(page, '#live-state')).to.match(/^Binance BTC\/USDT: [\d.]+ at [\d:.]+ UTC/);
    trades.play(1, 3);
    await page.locator('#live-skipped', { hasText: 'Gap: 3 trades are missing. A new series begins.' }).waitFor();
    await page.locator('#live-state', { hasText: 'the first forecast needs 198 more trades' }).waitFor();
    const before = await page.locator('#live-rows tr').count();
    trades.play(260);
    await page.locator('#live-rows tr').nth(before).waitFor();
    // A cost counts from the next forecast on.
    await row.getByRole('textbox').fill('8.1');
    await row.getByRole('textbox').press('Enter');
    await row.locator('.chances li', { hasText: 'Beyond your 8.1 bps within 10 s' }).waitFor();
    trades.play(80);
    await row.locator('.chances li', { hasText: /^Beyond your 8\.1 bps within 10 s: [\d<]/ }).waitFor();
    expect(await page.evaluate(() => localStorage.getItem('tickmark.markets'))).to.equal(
      '[{"exchange":"binance","symbol":"BTC/USDT","kind":"trades","costBps":8.1,"horizons":["10s","60s","5m","30m"]}]',
    );
    await page.reload();
    await page
      .locator('.market', { hasText: 'Binance BTC/USDT' })
      .locator('.chances li', { hasText: 'Beyond your 8.1 bps' })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Stop watching Binance BTC/USDT' }).click();
    await page.getByRole('button', { name: 'Stop it' }).click();
    await page.locator('#market-none:not([hidden])').waitFor();
    expect(await page.evaluate(() => localStorage.getItem('tickmark.markets'))).to.equal('[]');
  });

  it('propose the spread of quotes as the cost', async () => {
    let timeMs = Date.now() - 60_000;
    const book = (): string => {
      const mid = 100 + Math.sin(timeMs / 900);
      const side = (price: number): string[] => [price.toFixed(2), '1', '0', '1'];
      const quote = { bids: [side(mid - 0.02)], asks: [side(mid + 0.02)], ts: String((timeMs += 100)) };
      return JSON.stringify({ arg: { channel: 'bbo-tbt', instId: 'BTC-USDT' }, data: [quote] });
    };
    const sockets: WebSocketRoute[] = [];
    const page = await suite.open({
      isAlone: true,
      prepare: (prepared) =>
        prepared.routeWebSocket('wss://ws.okx.com:8443/**', (socket) => {
          sockets.push(socket);
          socket.onMessage(() => {
            for (let i = 0; i < 260; i++) socket.send(book());
          });
        }),
    });
    await page.locator('#live-link').click();
    await page.locator('#live-from').selectOption('okx');
    await page.locator('#live-kind').selectOption('quotes');
    await page.locator('#market-add').click();
    const row = page.locator('.market', { hasText: 'OKX BTC/USDT, quotes' });
    await row.locator('.chances li', { hasText: /^An unusually large move within 10 s: \d/ }).waitFor();
    await row.getByRole('button', { name: /^Use the spread, [34](\.\d+)? bps/ }).click();
    await row.locator('.chances li', { hasText: /^Beyond your [34](\.\d+)? bps within 10 s/ }).waitFor();
    for (let i = 0; i < 80; i++) sockets[0].send(book());
    await row.locator('.chances li', { hasText: /^Beyond your [34](\.\d+)? bps within 10 s: [\d<]/ }).waitFor();
  });

  it('says what is wrong with a market and a cost', async () => {
    const page = await suite.open();
    await page.locator('#live-link').click();
    await page.locator('#live-symbol').fill('BTCUSDT');
    await page.locator('#market-cost').fill('-1');
    await page.locator('#market-add').click();
    expect(await textOf(page, '#live-symbol-fault')).to.equal('Write base and quote with a slash, such as BTC/USDT.');
    expect(await textOf(page, '#market-cost-fault')).to.include('Write a number above 0');
    await expectAccessible(page);
  });

  it('are the same after a reload and in another tab with an account: the service has them, with what marks were worth', async () => {
    const page = await suite.open();
    await signUp(page);
    const nowMs = Date.now();
    const forecasts = forecastsOf(200, nowMs);
    const market: MarketAnswer = {
      ...MARKET_EXAMPLE,
      ...{ last_tick: forecasts.at(-1)!.last_tick, forecasts: [{ horizon: '5m', last: forecasts.at(-1)!, score: null }] },
    };
    const changes: unknown[] = [];
    await page.context().route('**/account/markets', (route) => route.fulfill({ json: { markets: [market] } }));
    await page.context().route('**/account/markets/*', (route) => {
      changes.push(route.request().postDataJSON());
      return route.fulfill({ json: market });
    });
    await page.context().route('**/account/markets/*/forecasts?after=*', (route) => {
      const after = Number(new URL(route.request().url()).searchParams.get('after'));
      const part = forecasts.filter(({ change }) => change > after).slice(0, 150);
      const last = part.at(-1)?.change ?? after;
      return route.fulfill({ json: { forecasts: part, last, more: last < forecasts.length } });
    });
    const rows = [0, 5].map((days) => ({
      ...TRACK_RECORD_EXAMPLE.rows[0],
      day: new Date(nowMs - days * 86_400_000).toISOString().slice(0, 10),
      bucket: 'h15m',
      own_threshold: true,
    }));
    await page.context().route('**/auth/track-record?*', (route) => {
      expect(new URL(route.request().url()).searchParams.get('series')).to.equal('binance:BTC-USDT');
      return route.fulfill({ json: { ...TRACK_RECORD_EXAMPLE, rows } });
    });
    const other = await page.context().newPage();
    for (const tab of [page, other]) {
      await tab.goto(`${suite.rig.url}/#live`);
      await tab.reload();
      const row = tab.locator('.market', { hasText: 'Binance BTC/USDT' });
      await row.locator('.chances li', { hasText: 'Beyond your 8.1 bps within 5 min: 10 %, usually 12 %' }).waitFor();
      await row.locator('.market-open').click();
      await tab.locator('#live-csv-hint', { hasText: 'The file has 200 forecasts' }).waitFor();
      await tab.locator('#market-worth-tables', { hasText: 'as many by the volatility baseline' }).waitFor();
      expect(await textOf(tab, '#market-worth-tables')).to.match(/Would it have paid\? No/);
      await tab.locator('#market-days tbody tr').nth(1).waitFor();
      expect(await textOf(tab, '#market-days')).to.match(/^Today \(UTC\).*30 days.*over 3 min, up to 15 min/s);
      await expectAccessible(tab);
    }
    await other.close();
    // As at 200 %, and with the colours of the system.
    await page.setViewportSize({ width: 640, height: 430 });
    await expectNoOverflow(page);
    await page.emulateMedia({ forcedColors: 'active' });
    await expectAccessible(page);
    await page.emulateMedia({ forcedColors: 'none' });
    await page.locator('.market').getByRole('textbox').fill('6.5');
    await page.locator('.market').getByRole('textbox').press('Enter');
    await page.locator('.market').getByRole('button', { name: 'Set the cost' }).focus();
    expect(changes).to.deep.equal([{ cost_bps: 6.5 }]);
  });
});
