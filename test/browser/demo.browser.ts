import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { ROOT } from '../support/tickmarkProcess.ts';
import { expectAccessible, expectNoOverflow } from './support/pageChecks.ts';
import { sharedChromium } from './support/sharedChromium.ts';
import { answered, textOf } from './support/steps.ts';
import { quotesOf, tickRows } from './support/tickFiles.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

describe('the page of npm run demo:page', function () {
  this.timeout(120_000);
  const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-demo-'));
  let server: Server;
  let context: BrowserContext | undefined;
  let page: Page;
  const asked: string[] = [];
  const faults: string[] = [];

  before(async function () {
    const browser = await sharedChromium();
    if (browser === undefined) return this.skip();
    const { status, stderr } = spawnSync(process.execPath, ['scripts/demoPage.js', folder], { cwd: ROOT, encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
    // A static host below a path, without a header of its own.
    server = createServer(({ url = '' }, response) => {
      asked.push(url);
      const name = url.replace(/^\/demo\//, '') || 'index.html';
      const has = readdirSync(folder).includes(name);
      response.writeHead(has ? 200 : 404, { 'Content-Type': TYPES[path.extname(name)] ?? 'text/plain' });
      response.end(has ? readFileSync(path.join(folder, name)) : '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' });
    page = await context.newPage();
    page.on('console', (message) => void (['error', 'warning'].includes(message.type()) && faults.push(message.text())));
    page.on('pageerror', (error) => faults.push(String(error.stack)));
    context.on('request', (request) => void (request.url().startsWith('blob:') || asked.push(`page: ${request.url()}`)));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/demo/`);
    await answered(page);
  });
  after(async () => {
    await context?.close();
    server?.close();
    rmSync(folder, { recursive: true });
  });

  it('answers the sample, a file, a replay and a stream without one request after it is loaded', async () => {
    expect(await textOf(page, '#service-text')).to.equal('');
    expect(
      await page
        .locator('#account-open, #record-link, #live-watch, #live-record, #call')
        .evaluateAll((all) => all.some((each) => each.checkVisibility())),
    ).to.equal(false);
    asked.length = 0;
    await page.locator('#file').setInputFiles(quotesOf(tickRows(6000)));
    await page.locator('#source-name', { hasText: 'ticks.csv' }).waitFor();
    await page.locator('#presets label').first().click();
    await page.locator('#move-cost').click();
    await answered(page);
    expect(await textOf(page, '#figures')).to.include('2 bpsmedian spread of your quotes');
    await page.locator('#replay-run').click();
    await page.locator('#replay-text', { hasText: 'replayed in' }).waitFor();
    expect(await textOf(page, '#replay-caption')).to.match(
      /with the spread of each window as the threshold\. Computed in this page by base-[\w-]+; nothing was sent\.$/,
    );
    expect(await textOf(page, '#replay-text')).to.match(/^\d{3} windows/);
    expect(await page.locator('#replay-lead-rows tr').count()).to.be.above(4);
    await page.locator('#walk-back').click();
    await page.locator('#stepper-text', { hasText: /(Then|No price)/ }).waitFor();
    await expectAccessible(page);
    await expectNoOverflow(page);
    await page.locator('#live-link').click();
    await page.locator('#live-speeds label', { hasText: 'max' }).click();
    await page.locator('#live-start').click();
    await page.locator('#live-state', { hasText: 'The file has ended: 6,000 ticks.' }).waitFor();
    expect(await page.locator('#live-record').isVisible()).to.equal(false);
    await expectAccessible(page);
    expect([asked, faults]).to.deep.equal([[], []]);
  });

  it('forbids every request', async () => {
    const outcome = await page.evaluate(() => fetch('./index.html').then(() => 'sent', () => 'refused')); // prettier-ignore
    expect([outcome, asked]).to.deep.equal(['refused', []]);
  });
});
