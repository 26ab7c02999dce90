import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { serveTickmark, type ServedProcess } from '../../support/tickmarkProcess.ts';
import { findChromium, launchChromium } from './launchChromium.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A page, and everything on it that must not happen. */
export type Visit = {
  readonly page: Page;
  /** Errors on the console, uncaught ones, refusals of the policy, requests that left this origin. */
  readonly faults: string[];
};

/** The real service and a real browser. */
export class ConsoleRig {
  readonly url: string;
  readonly #service: ServedProcess;
  readonly #browser: Browser;
  /** DATA_DIR of the service. */
  readonly dataDir: string;

  private constructor(service: ServedProcess, browser: Browser, dataDir: string) {
    this.url = service.url;
    this.#service = service;
    this.#browser = browser;
    this.dataDir = dataDir;
  }

  /** Undefined where there is no browser; the reason is printed. */
  static async start(): Promise<ConsoleRig | undefined> {
    const chromium = findChromium();
    if (chromium === undefined) {
      process.stdout.write('  skipped: no Chromium in the usual places; install one, or name it in CHROMIUM_PATH\n');
      return undefined;
    }
    const dataDir = mkdtempSync(path.join(tmpdir(), 'tickmark-browser-'));
    const service = await serveTickmark(dataDir, {
      ...{ METRICS_PORT: '0', LIMIT_SIGNUPS_PER_HOUR: '0', LIMIT_LOGINS_PER_MINUTE: '0' },
      // The targets of alerts in these tests are on this machine.
      WEBHOOK_PRIVATE_ADDRESSES: 'true',
    });
    return new ConsoleRig(service, await launchChromium(chromium), dataDir);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#service.child.kill('SIGTERM');
    await this.#service.ended;
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  /** A page of its own, with no memory of others. */
  async visit(options: BrowserContextOptions = {}, prepare: (page: Page) => Promise<void> = async () => {}): Promise<Visit> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce', ...options });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('console', (message) => {
      // The browser reports every 4xx and 5xx by itself; what the page makes of them is tested.
      if (['error', 'warning'].includes(message.type()) && !message.text().startsWith('Failed to load resource'))
        faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(String(error.stack)));
    page.on('request', (request) => {
      if (!request.url().startsWith(this.url) && !request.url().startsWith('blob:')) faults.push(`request to ${request.url()}`);
    });
    await prepare(page);
    await page.goto(this.url);
    return { page, faults };
  }

  async leave({ page, faults }: Visit): Promise<void> {
    await page.context().close();
    expect(faults).to.deep.equal([]);
  }
}

/** Every rule of axe-core over the page as it stands. */
export async function expectAccessible(page: Page): Promise<void> {
  // Half a megabyte of script: once a page.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }> };
    };
    const { violations: found } = await axe.run({ resultTypes: ['violations'] });
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`);
  });
  expect(violations).to.deep.equal([]);
}

/** Nothing stands out to the side: a page that scrolls sideways on a phone is broken. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const over = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    return [...document.querySelectorAll('body *')]
      .filter(
        (each) =>
          each.closest('pre, .scroll, .unseen, #chart, dialog:not([open])') === null && each.getBoundingClientRect().right > width + 1,
      )
      .map((each) => each.outerHTML.slice(0, 120));
  });
  expect(over).to.deep.equal([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)).to.equal(true);
}
