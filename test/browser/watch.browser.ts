import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { WebSocket } from 'ws';
import { TickmarkClient, type LiveConnection } from '../../clients/typescript/src/index.ts';
import { walkTicks } from '../support/walkTicks.ts';
import { expectAccessible, expectNoOverflow } from './support/pageChecks.ts';
import type { VisitOptions } from './support/ConsoleRig.ts';
import { consoleSuite } from './support/consoleSuite.ts';
import { accountOf, PASSWORD, textOf } from './support/steps.ts';

const TICKS = walkTicks({ seed: 8, count: 4000, meanGapMs: 250 });
const phase = (page: Page, name: string): Promise<void> => page.locator(`#live-state[data-phase=${name}]`).waitFor();

/** Another program with the key: pushes ticks of a series until it is stopped. */
class Bot {
  readonly live: LiveConnection;
  readonly #timer: ReturnType<typeof setInterval>;
  #sent = 0;

  constructor(url: string, key: string, series: string) {
    this.live = new TickmarkClient({ baseUrl: url, apiKey: key }).live({ WebSocket: WebSocket as never });
    this.live.open({ series, forecasts: [{ horizon: '10s', every: '1s' }, { horizon: '60s', every: '5s', id: 'slow' }] }); // prettier-ignore
    this.push(series, 500);
    this.#timer = setInterval(() => this.push(series, 10), 50);
  }

  push(series: string, count: number): void {
    const to = Math.min(TICKS.timesUs.length, this.#sent + count);
    for (; this.#sent < to; this.#sent++) this.live.push(series, { timeUs: TICKS.timesUs[this.#sent], price: TICKS.prices[this.#sent] });
  }

  stop(): void {
    clearInterval(this.#timer);
    this.live.close();
  }
}

consoleSuite('watching a series in the console', (suite) => {
  const bots: Bot[] = [];
  const bot = (key: string, series: string): Bot => {
    const one = new Bot(suite.rig.url, key, series);
    bots.push(one);
    return one;
  };
  afterEach(() => bots.splice(0).forEach((one) => one.stop()));

  async function watch(key: string, options: VisitOptions = {}): Promise<Page> {
    const page = await suite.open({ ...options, key });
    await page.locator('#live-link').click();
    await page.locator('#live-watch').click();
    await phase(page, 'waiting');
    return page;
  }

  it('shows forecasts, outcomes, score and chart of another program with the key, and turns to another of its series', async () => {
    const key = await accountOf(suite.rig.url);
    const page = await watch(key);
    expect(await textOf(page, '#live-state')).to.include('no program streams a series with this key');
    await expectAccessible(page, '#live-view');
    const first = bot(key, 'BTCUSDT');
    await phase(page, 'watching');
    await page.locator('#live-rows tr', { hasText: /moved: |stayed: / }).first().waitFor(); // prettier-ignore
    await page.locator('#live-scores tbody tr').nth(1).waitFor();
    expect(await textOf(page, '#live-state')).to.match(/^Watching BTCUSDT: [\d.,]+ at \d\d:\d\d:\d\d\.\d{3} UTC\.$/);
    expect(await page.locator('.tile-head:first-child > span:first-child').allTextContents()).to.deep.equal([
      'Last price',
      '10 s',
      'slow, 1 min',
    ]);
    expect(await page.locator('#live-horizon option').allTextContents()).to.deep.equal(['All horizons', '10 s', 'slow, 1 min']);
    expect(await page.locator('#live-start').isVisible()).to.equal(false);
    await expectAccessible(page, '#live-view');
    await expectNoOverflow(page);
    bot(key, 'ETHUSDT');
    await page.locator('#live-series option', { hasText: 'ETHUSDT' }).waitFor({ state: 'attached' });
    await page.locator('#live-series').selectOption({ label: 'ETHUSDT' });
    await page.locator('#live-state', { hasText: 'Watching ETHUSDT: ' }).waitFor();
    await page.locator('#live-series').selectOption({ label: 'BTCUSDT' });
    await page.locator('#live-state', { hasText: 'Watching BTCUSDT: ' }).waitFor();
    first.stop();
    await phase(page, 'closed');
    bot(key, 'BTCUSDT');
    await page.locator('#live-state', { hasText: 'Watching BTCUSDT: ' }).waitFor();
    await page.locator('#live-stop').click();
    await phase(page, 'ended');
    await page.locator('#live-start').click();
    await phase(page, 'streaming');
    await page.locator('.tile').nth(3).waitFor();
  });

  it('says that the key was revoked, and offers another', async () => {
    const page = await watch(await accountOf(suite.rig.url, 'watcher@example.com'));
    const headers = { Authorization: `Basic ${Buffer.from(`watcher@example.com:${PASSWORD}`).toString('base64')}` };
    const { keys } = (await (await fetch(`${suite.rig.url}/account/keys`, { headers })).json()) as { keys: { id: string }[] };
    await fetch(`${suite.rig.url}/account/keys/${keys[0].id}`, { method: 'DELETE', headers });
    await phase(page, 'refused');
    expect(await textOf(page, '#live-state')).to.include('the key was not accepted');
    await page.locator('#live-key').click();
    await page.locator('#login:not([hidden])').waitFor();
  });
});
