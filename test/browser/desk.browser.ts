import * as path from 'node:path';
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import type { MarketForecastsAnswer, MarketListAnswer } from '../../src/contract/markets.ts';
import { startAccountService, type AccountRig } from '../support/accountService.ts';
import { makeStoreLocation, type StoreLocation } from '../support/eachStore.ts';
import { findAt, LocalExchange } from '../support/LocalExchange.ts';
import { SteppedClock } from '../support/SteppedClock.ts';
import { builtFolder } from '../support/tickmarkProcess.ts';
import { until } from '../support/until.ts';
import { walkTicks } from '../support/walkTicks.ts';
import { sharedChromium } from './support/sharedChromium.ts';
import { PASSWORD, signUp, textOf } from './support/steps.ts';
import { writeTimestamp } from '../../src/ticks/timestamps.ts';

const SYMBOL = 'BTCUSDT';
const START_US = Date.UTC(2026, 0, 15, 12) * 1000;

describe('the desk that stays open', function () {
  this.timeout(180_000);
  let place: StoreLocation;
  let exchange: LocalExchange;
  let rig: AccountRig;
  let context: BrowserContext;
  const clock = new SteppedClock();

  /** The service of the test runs from its sources, which have no built page. */
  async function serve(to: BrowserContext): Promise<void> {
    const folder = path.join(builtFolder(), 'console');
    await to.route(`${rig.service.url}/`, (route) => route.fulfill({ path: path.join(folder, 'index.html') }));
    await to.route(`${rig.service.url}/console/*`, (route) =>
      route.fulfill({ path: path.join(folder, path.basename(new URL(route.request().url()).pathname)) }),
    );
  }

  before(async function () {
    const browser = await sharedChromium();
    if (browser === undefined) return this.skip();
    place = await makeStoreLocation('sqlite', this);
    exchange = await new LocalExchange().listen();
    rig = await startAccountService(place, {}, { clock, findMarket: findAt(exchange.port) });
    context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
    await serve(context);
  });
  after(async () => {
    await context?.close();
    await rig?.close();
    exchange?.close();
    await place?.dispose();
  });

  /** Of the first market, as the page is told them. */
  const kept = (page: Page) =>
    page.evaluate(async () => {
      const list = (await (await fetch('/account/markets')).json()) as MarketListAnswer;
      const numbers = new Set<number>();
      let outcomes = 0;
      for (let next = { last: 0, more: true }; next.more;) {
        const answer = await fetch(`/account/markets/${list.markets[0].id}/forecasts?after=${next.last}`);
        const part = (await answer.json()) as MarketForecastsAnswer;
        for (const { n } of part.forecasts) numbers.add(n);
        outcomes += part.forecasts.filter(({ outcome }) => outcome !== null).length;
        next = part;
      }
      return { forecasts: numbers.size, outcomes, lastTick: list.markets[0].last_tick };
    });

  it('has all forecasts that were made while it was closed for an hour of the market, in a tab that needs no sign-in', async () => {
    const ticks = walkTicks({ seed: 3, count: 4600, meanGapMs: 1000, startUs: START_US });
    const trade = (from: number, to: number): void =>
      exchange.trade(
        SYMBOL,
        Array.from(ticks.timesUs.subarray(from, to), (timeUs, i) => ({ timeMs: timeUs / 1000, price: ticks.prices[from + i] })),
      );
    const first = await context.newPage();
    await first.goto(rig.service.url);
    await signUp(first, 'desk@example.com');
    await first.locator('#live-link').click();
    await first.locator('#market-cost').fill('2');
    await first.locator('#market-add').click();
    await exchange.watched(SYMBOL);
    trade(0, 900);
    await first.locator('.market .chances li', { hasText: /^Beyond your 2 bps within 1 min: [\d<]/ }).waitFor();
    const { forecasts: before } = await kept(first);
    await first.close();
    trade(900, 4600);
    const page = await context.newPage();
    await page.goto(rig.service.url);
    await page.locator('#account-open', { hasText: 'desk@example.com' }).waitFor();
    let all = await kept(page);
    await until(async () => {
      const now = await kept(page);
      const isStill = now.forecasts === all.forecasts && now.forecasts > before + 1000;
      all = now;
      return isStill;
    });
    // Only now: no forecast is made whose future has passed.
    clock.advance(3_600_000);
    await page.locator('#live-link').click();
    await page.locator('.market-open[aria-pressed="true"]').waitFor();
    await page.locator('#live-csv-hint', { hasText: `The file has ${all.forecasts.toLocaleString('en')} forecasts` }).waitFor();
    await page.locator('#market-worth-tables', { hasText: 'as many by the volatility baseline' }).waitFor();
    expect(await textOf(page, '#market-worth-tables')).to.match(/Would it have paid\? /);
    expect(await textOf(page, '.market')).to.match(/of all [\d,]+ forecasts, \d+/);
    expect(all.outcomes).to.be.above(1000);
    // Another computer: the same market with the same forecasts, and the prices that the service saw last.
    const other = await context.browser()!.newContext({ viewport: { width: 1280, height: 860 } });
    await serve(other);
    const computer = await other.newPage();
    await computer.goto(`${rig.service.url}/#live`);
    await computer.locator('#account-open').click();
    await computer.locator('#login-email').fill('desk@example.com');
    await computer.locator('#login-password').fill(PASSWORD);
    await computer.locator('#login [type=submit]').click();
    await computer.locator('.market-open[aria-pressed="true"]').waitFor();
    await computer.locator('#live-csv-hint', { hasText: `The file has ${all.forecasts.toLocaleString('en')} forecasts` }).waitFor();
    expect(await textOf(computer, '.market')).to.equal(await textOf(page, '.market'));
    const lastPrice = (shown: Page, hasText: string | RegExp) => shown.locator('#live-strip .tile:first-child .tile-figure', { hasText });
    await lastPrice(computer, await lastPrice(page, /\d/).innerText()).waitFor();
    // Each tick is on the chart: the one before the last is a second older, forecasts are five.
    await computer.locator('#live-chart').focus();
    await computer.keyboard.press('ArrowLeft');
    const at = writeTimestamp(ticks.timesUs.at(-2)!).slice(11);
    expect(await computer.locator('#live-chart').getAttribute('aria-valuetext')).to.include(at);
    // A market of bars with a rule of its own, which is changed, and both charts at once.
    await computer.locator('#live-kind').selectOption('1m');
    await computer.locator('#market-more summary').click();
    await computer.locator('#market-more').getByLabel('Which forecasts').selectOption('own');
    await computer.locator('#market-more').getByLabel('Chance from').fill('40');
    await computer.locator('#market-add').click();
    const bars = computer.locator('.market', { hasText: 'Binance BTC/USDT, bars of 1 min' });
    await bars.getByText('Alerts: chances from 40 %.').waitFor();
    await bars.getByRole('button', { name: 'Change Binance' }).click();
    await bars.getByRole('checkbox', { name: '15 min' }).check();
    await bars.getByLabel('Or this price is reached').fill('1.38');
    await bars.getByRole('button', { name: 'Save' }).click();
    await bars.getByText('Alerts: 1.38 is reached from 40 %.').waitFor();
    await bars.locator('.chances li', { hasText: 'within 15 min' }).waitFor();
    // Its bars are read once the next trade has come.
    exchange.trade(
      SYMBOL,
      [1000, 2000, 3000].map((afterMs) => ({ timeMs: ticks.timesUs.at(-1)! / 1000 + afterMs, price: ticks.prices.at(-1)! })),
    );
    for (const button of await computer.getByRole('button', { name: 'Side by side: ' }).all()) await button.click();
    await computer.locator('.market-chart:nth-child(2) figure:not([hidden])').waitFor();
    await other.close();
  });
});
