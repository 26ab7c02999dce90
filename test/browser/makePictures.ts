/** `npm run pictures [NAME]`: takes the pictures of docs/how-to/console.md from the running page, over generated ticks. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { Page } from 'playwright-core';
import { serveTickmark, ROOT } from '../support/tickmarkProcess.ts';
import { findChromium, launchChromium } from './support/launchChromium.ts';
import { MARKET_EXAMPLE } from '../../src/contract/markets.ts';
import { writeTimestamp } from '../../src/ticks/timestamps.ts';
import { walkTicks } from '../support/walkTicks.ts';
import { PlayedTrades } from './support/PlayedTrades.ts';
import { signUp } from './support/steps.ts';
import { csvOf, tickRows } from './support/tickFiles.ts';

type Picture = {
  readonly width: number;
  readonly height: number;
  readonly dark?: boolean;
  /** The whole page, not the window's height. */
  readonly full?: boolean;
  readonly prepare: (page: Page) => Promise<void>;
};

const settled = async (page: Page): Promise<void> => {
  await page.locator('#answer:not([data-stale])').waitFor();
  await page.locator('#figures dd').first().waitFor();
  await page.waitForTimeout(150);
};

let files = 0;

async function withFile(page: Page): Promise<void> {
  await signUp(page, `you${++files}@example.com`);
  await page.locator('#file').setInputFiles(csvOf(tickRows(12_000)));
  await page.locator('#source-name', { hasText: 'ticks.csv' }).waitFor();
  await settled(page);
}

async function replayed(page: Page): Promise<void> {
  await walked(page, 0);
  await page.locator('#replay-run').click();
  await page.locator('#replay-text', { hasText: 'replayed in' }).waitFor({ timeout: 120_000 });
  await page.locator('#walk').scrollIntoViewIfNeeded();
}

async function walked(page: Page, steps = 8): Promise<void> {
  await withFile(page);
  await page.locator('#presets label').first().click();
  await settled(page);
  await page.locator('#walk-start').click();
  await settled(page);
  for (let step = 0; step < steps; step++) {
    await page.locator('#walk-next').click();
    await settled(page);
  }
  await page.evaluate(() => scrollTo(0, 0));
}

/** A stream of four minutes at 60×; the service counts those that are sent to it. */
async function streamed(page: Page, { toService = false } = {}): Promise<void> {
  await withFile(page);
  await page.locator('#live-link').click();
  await page.locator('#live-record').setChecked(toService);
  await page.locator('#live-speeds label', { hasText: '60×' }).click();
  await page.locator('#live-start').click();
  await page.locator('#live-progress').evaluate(
    (bar) =>
      new Promise<void>((resolve) => {
        const look = setInterval(() => {
          if ((bar as HTMLProgressElement).value < 0.35) return;
          clearInterval(look);
          resolve();
        }, 50);
      }),
  );
  await page.locator('#live-pause').click();
  await page.waitForTimeout(1000);
}

async function recorded(page: Page): Promise<void> {
  await streamed(page, { toService: true });
  await page.locator('#live-stop').click();
  await page.locator('#live-state[data-phase=ended]').waitFor();
  await page.locator('#record-link').click();
  await page.locator('#record-by').selectOption('bucket');
  // Its ticks are of 2024, and so are its days in the record.
  await page.locator('#record-weeks').selectOption({ label: 'All that is kept' });
  // The service writes what it has counted every 10 s.
  while ((await page.locator('#record-table tbody tr').count()) < 4) {
    await page.waitForTimeout(1000);
    await page.locator('#record-again').click();
  }
}

/** Four markets of the service side by side, whose prices walk as those of the generated ticks. */
async function charted(page: Page): Promise<void> {
  await signUp(page, `you${++files}@example.com`);
  const names = { BTC: 42_000, ETH: 2300, SOL: 98, XRP: 0.62 };
  const nowMs = Date.now();
  const last = MARKET_EXAMPLE.forecasts[0].last!;
  const markets = Object.keys(names).map((name, at) => ({
    ...{ ...MARKET_EXAMPLE, id: name, symbol: `${name}/USDT`, price: names[name as keyof typeof names] },
    forecasts: [{ horizon: '5m', last: { ...last, probability: 0.41 - 0.07 * at, marked: at === 0 }, score: null }],
  }));
  await page.route('**/account/markets', (route) => route.fulfill({ json: { markets } }));
  await page.route('**/account/markets/*/forecasts?*', (route) => {
    const { pathname, searchParams } = new URL(route.request().url());
    const at = markets.findIndex(({ id }) => pathname.includes(`/${id}/`));
    const { prices, timesUs } = walkTicks({ seed: 5 + at, count: 900, meanGapMs: 700 });
    const scale = markets[at].price / prices.at(-1)!;
    const shiftUs = 1000 * nowMs - timesUs.at(-1)!;
    const isFirst = searchParams.get('ticks_from') === '0';
    const ticks = {
      first: isFirst ? 0 : 900,
      Timestamp: isFirst ? Array.from(timesUs, (us) => writeTimestamp(us + shiftUs)) : [],
      Price: isFirst ? Array.from(prices, (price) => Number((price * scale).toPrecision(6))) : [],
    };
    return route.fulfill({ json: { forecasts: [], last: 0, more: false, ticks } });
  });
  await page.locator('#live-link').click();
  for (const name of Object.keys(names)) await page.getByRole('button', { name: `Side by side: Binance ${name}/USDT` }).click();
  await page.locator('.market-chart:nth-child(4) canvas').waitFor();
  for (const at of [1, 3]) await page.locator(`.market-chart:nth-child(${at})`).getByRole('button', { name: 'Candles' }).click();
  await page.locator('#market-charts-card').evaluate((card) => card.scrollIntoView());
}

/** A market that the page watches, whose prices walk as those of the generated ticks. */
async function watched(page: Page): Promise<void> {
  const { prices } = walkTicks({ seed: 5, count: 3200, meanGapMs: 1000 });
  const trades = new PlayedTrades({
    ...{ earlier: 1000, everyMs: 1000, startMs: Date.now() - 3_050_000 },
    priceOf: (number) => Number((prices[number % prices.length] * 640).toFixed(2)),
  });
  await trades.prepare(page);
  await page.locator('#live-link').click();
  await page.locator('#market-cost').fill('1.5');
  await page.locator('#market-add').click();
  await page.locator('.market .chances li', { hasText: /^Beyond your 1\.5 bps within 10 s: [\d<]/ }).waitFor();
  trades.play(2030);
  await page
    .locator('.market .chances li', { hasText: /of all [2-9]\d\d forecasts/ })
    .first()
    .waitFor();
  // The page is still at the forecasts of the past: the picture is of what comes after them.
  for (let [before, now] = ['', '…']; before !== now;) {
    await page.waitForTimeout(1500);
    [before, now] = [now, await page.locator('.market .chances').first().innerText()];
  }
}

const PICTURES: Readonly<Record<string, Picture>> = {
  sample: { width: 1280, height: 860, prepare: settled },
  'sample-dark': { width: 1280, height: 860, dark: true, prepare: settled },
  whole: { width: 1280, height: 860, full: true, prepare: settled },
  phone: { width: 390, height: 844, full: true, prepare: settled },
  signup: {
    width: 900,
    height: 760,
    prepare: async (page) => {
      await settled(page);
      await page.locator('#welcome-signup').click();
      await page.locator('#email').fill('you@example');
      await page.locator('#password').fill('short');
      await page.locator('#confirm_password').fill('other');
      await page.locator('#signup [type=submit]').click();
      await page.locator('#password-fault:not([hidden])').waitFor();
    },
  },
  key: {
    width: 900,
    height: 700,
    prepare: async (page) => {
      await settled(page);
      await signUp(page, 'key@example.com', { goOn: false });
      // No real key in a picture, not even one of a service that is gone.
      await page.locator('#issued-key').evaluate((code) => (code.textContent = 'tkm_live_' + 'x'.repeat(33)));
    },
  },
  keys: {
    width: 900,
    height: 700,
    prepare: async (page) => {
      await settled(page);
      const email = 'desk@example.com';
      await signUp(page, email);
      // Of a month, which no picture waits for.
      await page.route('**/account/keys', async (route) => {
        const response = await route.fetch();
        const answer = (await response.json()) as { keys?: object[] };
        const last_used_at = new Date().toISOString();
        const use = [
          { last_used_at, forecasts_today: 1240, forecasts_30_days: 31_870 },
          { last_used_at, forecasts_today: 86_400, forecasts_30_days: 412_000, refused_today: 12, refused_30_days: 4310 },
        ];
        await route.fulfill({
          response,
          json: { ...answer, ...(answer.keys && { keys: answer.keys.map((key, at) => ({ ...key, ...use[at] })) }) },
        });
      });
      await page.locator('#account-open').click();
      for (const name of ['backtest', '']) {
        await page.locator('#signed [data-login=keys]').click();
        await page.locator('#keys-list li').first().waitFor();
        if (name === '') break;
        await page.locator('#key-name').fill(name);
        await page.locator('#keys [type=submit]').click();
        await page.locator('#issued:not([hidden]) #saved').check();
        await page.locator('#issued-go').click();
        await page.locator('#account-open', { hasText: email }).click();
      }
      await page.getByRole('button', { name: 'Revoke the key' }).first().click();
      // As above: no first letters of real keys either.
      await page
        .locator('#keys-list code')
        .evaluateAll((codes) => codes.forEach((code, at) => (code.textContent = `tkm_live_xxx${at + 1}…`)));
    },
  },
  alerts: {
    width: 900,
    height: 860,
    prepare: async (page) => {
      await settled(page);
      await signUp(page, 'alerts@example.com');
      await page.locator('#account-open').click();
      await page.locator('#signed [data-login=hooks]').click();
      await page.locator('#hooks:not([hidden])').waitFor();
      // No target of a picture is called.
      await page.route('**/test', (route) => route.fulfill({ json: { delivered: true, status: 200, error: null } }));
      await page.locator('#hook-url').fill('https://hooks.example.com/tickmark');
      await page.locator('#hooks [type=submit]').click();
      await page.locator('#hook-issued:not([hidden])').waitFor();
      await page.locator('#hook-secret').evaluate((code) => (code.textContent = 'whsec_' + 'x'.repeat(32)));
      await page.getByRole('button', { name: 'Test:' }).click();
      await page.locator('.hook-told', { hasText: 'Delivered' }).waitFor();
    },
  },
  docs: {
    width: 1280,
    height: 860,
    prepare: async (page) => {
      await page.goto(`${service.url}/docs/sampleForecast`);
      await page.locator('.execute').click();
      await page.locator('.response-col_status', { hasText: '200' }).first().waitFor();
    },
  },
  file: { width: 1280, height: 860, prepare: withFile },
  touch: {
    width: 1280,
    height: 860,
    prepare: async (page) => {
      await withFile(page);
      await page.locator('.level').focus();
      for (let step = 0; step < 4; step++) await page.keyboard.press('ArrowDown');
      await settled(page);
      await page.locator('.level[aria-valuetext*=reached]').waitFor();
      await page.locator('#headline').click();
    },
  },
  walk: { width: 1280, height: 860, prepare: (page) => walked(page) },
  'walk-phone-dark': { width: 390, height: 844, dark: true, prepare: (page) => walked(page) },
  replay: { width: 1280, height: 1000, prepare: replayed },
  'replay-phone-dark': { width: 390, height: 844, dark: true, prepare: replayed },
  live: { width: 1280, height: 860, full: true, prepare: (page) => streamed(page) },
  'live-phone-dark': { width: 390, height: 844, dark: true, prepare: (page) => streamed(page) },
  charts: { width: 1280, height: 860, prepare: charted },
  markets: { width: 1280, height: 1180, prepare: watched },
  'markets-phone-dark': { width: 390, height: 844, dark: true, prepare: watched },
  record: { width: 1280, height: 860, prepare: recorded },
  'bad-file': {
    width: 390,
    height: 844,
    prepare: async (page) => {
      await settled(page);
      await page.locator('#file').setInputFiles(csvOf(tickRows(10)));
      await page.locator('#ticks-fault:not([hidden])').scrollIntoViewIfNeeded();
    },
  },
};

const wanted = process.argv[2];
const chromium = findChromium();
if (chromium === undefined) throw new Error('No Chromium was found: install one, or name it in CHROMIUM_PATH.');
const dataDir = mkdtempSync(path.join(tmpdir(), 'tickmark-pictures-'));
const service = await serveTickmark(dataDir, { METRICS_PORT: '0', LIMIT_SIGNUPS_PER_HOUR: '0' });
const browser = await launchChromium(chromium);
try {
  for (const [name, { width, height, dark = false, full = false, prepare }] of Object.entries(PICTURES)) {
    if (wanted !== undefined && wanted !== name) continue;
    const page = await browser.newPage({
      viewport: { width, height },
      colorScheme: dark ? 'dark' : 'light',
      reducedMotion: 'reduce',
      timezoneId: 'Europe/Berlin',
    });
    page.on('console', (message) => process.stderr.write(`${name}: ${message.text()}\n`));
    page.on('pageerror', (error) => process.stderr.write(`${name}: ${error.stack}\n`));
    await page.goto(service.url);
    await prepare(page);
    const file = path.join(ROOT, 'docs', 'pictures', `console-${name}.png`);
    await page.screenshot({ path: file, fullPage: full });
    process.stdout.write(`${path.relative(ROOT, file)}\n`);
    await page.close();
  }
} finally {
  await browser.close();
  service.child.kill('SIGTERM');
  await service.ended;
  rmSync(dataDir, { recursive: true, force: true });
}
