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
    // What marks were worth, of the page's own forecasts, next to volatility alone.
    trades.play(200);
    await page.locator('#market-worth-tables tr', { hasText: 'as many by the volatility baseline' }).first().waitFor();
    expect(await textOf(page, '#market-days')).to.equal('');
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
    // A market that has opened by itself does not keep the ticks of the form from being streamed.
    await page.locator('.market-open[aria-pressed="true"]').waitFor();
    await page.locator('#live-start').click();
    await page.locator('#live-state[data-phase=streaming]').waitFor();
    await page.locator('#live-stop').click();
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

  it('have a form for bars, horizons and alert rules, and can be changed by it', async () => {
    const page = await suite.open({ viewport: { width: 390, height: 844 } });
    await signUp(page);
    const sent: [method: string, body: unknown][] = [];
    let markets: MarketAnswer[] = [];
    const bars: MarketAnswer = { ...MARKET_EXAMPLE, kind: 'bars', period: '5m', horizons: ['30m', '1h'], forecasts: [], last_tick: null };
    await page.context().route('**/account/markets', (route) => {
      if (route.request().method() === 'GET') return route.fulfill({ json: { markets } });
      sent.push(['POST', route.request().postDataJSON()]);
      markets = [bars];
      return route.fulfill({ status: 201, json: bars });
    });
    await page.context().route('**/account/markets/*', (route) => {
      const change = route.request().postDataJSON() as Partial<MarketAnswer>;
      sent.push(['PATCH', change]);
      markets = [{ ...bars, ...change }];
      return route.fulfill({ json: markets[0] });
    });
    await page
      .context()
      .route('**/account/markets/*/forecasts?*', (route) => route.fulfill({ json: { forecasts: [], last: 0, more: false } }));
    await page.locator('#live-link').click();
    await page.locator('#live-kind').selectOption('5m');
    await page.locator('#market-more summary').click();
    const form = page.locator('#market-more');
    expect(await form.locator('.market-horizons').innerText()).to.match(/30 min\s+1 h\s+2 h/);
    await form.getByRole('checkbox', { name: '2 h' }).uncheck();
    await form.getByRole('checkbox', { name: '1 h' }).check();
    await form.getByLabel('Which forecasts').selectOption('own');
    await form.getByLabel('Chance from').fill('x');
    await expectAccessible(page, '#markets');
    await expectNoOverflow(page);
    await expectTouchTargets(page);
    await page.locator('#market-add').click();
    await form.locator('.fault', { hasText: 'Write the chance as a number' }).waitFor();
    await form.getByLabel('Chance from').fill('40');
    await form.getByLabel('At most one in').fill('15');
    await form.getByLabel('Quiet from, UTC').fill('22:00');
    await form.getByLabel('Quiet to').fill('06:00');
    await page.locator('#market-add').click();
    const row = page.locator('.market', { hasText: 'Binance BTC/USDT, bars of 5 min' });
    await row.getByRole('button', { name: 'Change Binance' }).click();
    await row.getByRole('checkbox', { name: '30 min' }).uncheck();
    await row.getByLabel('Which forecasts').selectOption('own');
    await row.getByLabel('Or this price is reached').fill('65000');
    await page.emulateMedia({ forcedColors: 'active' });
    await expectAccessible(page, '#markets');
    await page.emulateMedia({ forcedColors: 'none' });
    await expectNoOverflow(page);
    await row.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Alerts: 65000 is reached.').waitFor();
    const of = { exchange: 'binance', symbol: 'BTC/USDT', kind: 'bars', period: '5m', cost_bps: null };
    const alert = { min_probability: 0.4, pause_minutes: 15, quiet_hours: '22:00-06:00' };
    expect(sent).to.deep.equal([
      ['POST', { ...of, horizons: ['30m', '1h'], alert }],
      ['PATCH', { horizons: ['1h'], alert: { touch: 65_000 } }],
    ]);
  });

  it('are shown side by side, also after a reload, and sound', async () => {
    const page = await suite.open();
    await signUp(page);
    const nowMs = Date.now();
    const names = ['BTC', 'ETH', 'XRP', 'ADA', 'SOL'];
    const markets = names.map((name) => ({
      ...{ ...MARKET_EXAMPLE, id: name, symbol: `${name}/USDT` },
      forecasts: [{ ...MARKET_EXAMPLE.forecasts[0], last: forecastsOf(1, nowMs)[0] }],
    }));
    await page.context().route('**/account/markets', (route) => route.fulfill({ json: { markets } }));
    const ticks = {
      first: 0,
      Timestamp: Array.from({ length: 600 }, (_, i) => writeTimestamp(1000 * (nowMs - 1000 * (600 - i)))),
      Price: Array.from({ length: 600 }, (_, i) => 42_000 + 40 * Math.sin(i / 40)),
    };
    await page.context().route('**/account/markets/*/forecasts?*', (route) => {
      const from = Number(new URL(route.request().url()).searchParams.get('ticks_from'));
      const kept = from === 0 ? ticks : { first: from, Timestamp: [], Price: [] };
      return route.fulfill({ json: { forecasts: [], last: 0, more: false, ticks: kept } });
    });
    await page.locator('#live-link').click();
    for (const name of names) await page.getByRole('button', { name: `Side by side: Binance ${name}/USDT` }).click();
    await page.locator('#market-fault', { hasText: 'At most 4 charts' }).waitFor();
    const charts = page.locator('#market-charts .market-chart');
    expect(await charts.count()).to.equal(4);
    // Prices that no forecast has, on each of them and on the chart of the opened market.
    const isDrawn = (id: string): Promise<unknown> =>
      page.waitForFunction((selector) => {
        const canvas = document.querySelector<HTMLCanvasElement>(`${selector} canvas`);
        const { data } = canvas!.getContext('2d')!.getImageData(0, 0, canvas!.width / 2, canvas!.height);
        return data.some((value, at) => at % 4 === 3 && value > 0);
      }, id);
    await isDrawn('.market-chart:nth-child(4)');
    await isDrawn('#live-chart');
    const [first, second] = await Promise.all([0, 1].map((at) => charts.nth(at).boundingBox()));
    expect(first!.y).to.equal(second!.y);
    await expectAccessible(page, '#live-view');
    await page.setViewportSize({ width: 640, height: 430 });
    await expectNoOverflow(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectTouchTargets(page);
    // Stacked on a phone, below the list.
    const boxes = await Promise.all(
      ['#markets', '.market-chart:nth-child(1)', '.market-chart:nth-child(2)'].map((id) => page.locator(id).boundingBox()),
    );
    expect(boxes.map((box) => box!.y)).to.deep.equal(boxes.map((box) => box!.y).sort((a, b) => a - b));
    expect(boxes[1]!.x).to.equal(boxes[2]!.x);
    await page.emulateMedia({ forcedColors: 'active' });
    await expectAccessible(page, '#live-view');
    const colours = await page
      .locator('[aria-label^="Side by side"]')
      .evaluateAll((buttons) => buttons.map((each) => getComputedStyle(each).backgroundColor));
    expect(new Set(colours.slice(0, 4)).size, 'pressed').to.equal(1);
    expect(colours[4]).to.not.equal(colours[0]);
    await page.emulateMedia({ forcedColors: 'none' });
    await page.getByRole('button', { name: 'Side by side: Binance ADA/USDT' }).click();
    await page.reload();
    await charts.nth(2).waitFor();
    expect(await charts.count()).to.equal(3);
    await page.locator('.market-open[aria-pressed="true"]', { hasText: 'BTC/USDT' }).waitFor();
    await page.evaluate(() => {
      const { createOscillator } = AudioContext.prototype;
      const tones: number[] = [];
      Object.assign(globalThis, { tones });
      AudioContext.prototype.createOscillator = function () {
        tones.push(1);
        return createOscillator.call(this);
      };
    });
    await page.locator('#live-sound').click();
    await page.waitForFunction(() => (globalThis as unknown as { tones: number[] }).tones.length === 2);
    markets[0].forecasts[0].last = { ...forecastsOf(1, nowMs + 300_000)[0], n: 1 };
    await page.waitForFunction(() => (globalThis as unknown as { tones: number[] }).tones.length === 4);
  });
});
