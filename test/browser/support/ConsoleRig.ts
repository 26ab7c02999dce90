import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { atEnd } from '../../support/atEnd.ts';
import { serveTickmark, type ServedProcess } from '../../support/tickmarkProcess.ts';
import { sharedChromium } from './sharedChromium.ts';

const USUAL = { viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' } as const;
/** Of a page, what tests listen to. */
const EVENTS = ['console', 'download', 'framenavigated', 'pageerror', 'request', 'requestfailed', 'response', 'websocket'] as const;
/** Where the console keeps ticks. */
const DATABASE = 'tickmark';

export type VisitOptions = Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'hasTouch' | 'isMobile' | 'timezoneId'> & {
  /** Of the first page, `/` by default. */
  readonly path?: string;
  /** Of an account; as if this tab had kept it. */
  readonly key?: string;
  /** A context of its own, with new processes: what they do from their start on counts, or something is set that stays in a tab. */
  readonly isAlone?: boolean;
  /** The addresses outside of this origin that the page may ask start with it. */
  readonly asks?: string;
  /** Before the first page is opened. */
  readonly prepare?: (page: Page) => Promise<unknown>;
};

/** A page, and everything on it that must not happen. */
type Visit = {
  readonly page: Page;
  /** Errors on the console, uncaught ones, refusals of the policy, requests that left this origin. */
  readonly faults: string[];
};

/** The real service and a real browser. */
export class ConsoleRig {
  static #shared: Promise<ConsoleRig | undefined> | undefined;

  readonly url: string;
  readonly #service: ServedProcess;
  readonly #browser: Browser;
  /** DATA_DIR of the service. */
  readonly dataDir: string;
  /** Of most visits, one after the other: another context costs 2 s of processor time, another tab 0.4 s. */
  #usual: Page | undefined;
  #visit: Visit | undefined;

  private constructor(service: ServedProcess, browser: Browser, dataDir: string) {
    this.url = service.url;
    this.#service = service;
    this.#browser = browser;
    this.dataDir = dataDir;
  }

  /** Undefined where there is no browser. */
  static async start(): Promise<ConsoleRig | undefined> {
    const browser = await sharedChromium();
    if (browser === undefined) return undefined;
    const dataDir = mkdtempSync(path.join(tmpdir(), 'tickmark-browser-'));
    const service = await serveTickmark(dataDir, {
      ...{ METRICS_PORT: '0', LIMIT_SIGNUPS_PER_HOUR: '0', LIMIT_LOGINS_PER_MINUTE: '0' },
      // The targets of alerts in these tests are on this machine.
      WEBHOOK_PRIVATE_ADDRESSES: 'true',
    });
    return new ConsoleRig(service, browser, dataDir);
  }

  /** One service for all suites of this process that leave it as it is, apart from their accounts. */
  static shared(): Promise<ConsoleRig | undefined> {
    return (ConsoleRig.#shared ??= ConsoleRig.start().then((rig) => {
      atEnd(async () => {
        ConsoleRig.#shared = undefined;
        await rig?.close();
      });
      return rig;
    }));
  }

  async close(): Promise<void> {
    await this.#usual?.context().close();
    this.#service.child.kill('SIGTERM');
    await this.#service.ended;
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  /** A page with no memory of others; the one before is left. */
  async visit({ path: name = '/', key, isAlone = false, asks, prepare, ...options }: VisitOptions = {}): Promise<Page> {
    await this.leave();
    const { viewport = USUAL.viewport, colorScheme = null, ...others } = options;
    const needsContext = isAlone || Object.keys(others).length > 0;
    const page = needsContext ? await this.#open(options) : await this.#usualPage();
    if (!needsContext) {
      await page.setViewportSize(viewport!);
      await page.emulateMedia({ colorScheme, forcedColors: null });
    }
    this.#visit = { page, faults: this.#faultsOf(page, asks) };
    await prepare?.(page);
    // Before the first script of the page, and when nothing of the page before can write any more.
    const clearing = await page.addInitScript(
      ([database, kept]) => {
        localStorage.clear();
        sessionStorage.clear();
        indexedDB.deleteDatabase(database);
        if (kept !== '') sessionStorage.setItem('tickmark.key', kept);
      },
      [DATABASE, key ?? ''] as const,
    );
    await page.goto(this.url + name);
    await clearing.dispose();
    return page;
  }

  /** Ends the visit, and throws if anything happened that must not. */
  async leave(): Promise<void> {
    if (this.#visit === undefined) return;
    const { page, faults } = this.#visit;
    this.#visit = undefined;
    if (page === this.#usual) await this.#clear(page);
    else await page.context().close();
    expect(faults).to.deep.equal([]);
  }

  async #open(options: BrowserContextOptions): Promise<Page> {
    const context = await this.#browser.newContext({ ...USUAL, ...options });
    return context.newPage();
  }

  async #usualPage(): Promise<Page> {
    if (this.#usual?.isClosed() === true) this.#usual = await this.#usual.context().newPage();
    return (this.#usual ??= await this.#open({}));
  }

  /** From the next page on: what happens on the one before no longer counts. */
  #faultsOf(page: Page, asks?: string): string[] {
    const faults: string[] = [];
    let isHere = false;
    const add = (fault: string): void => void (isHere && faults.push(fault));
    page.once('framenavigated', () => (isHere = true));
    page.on('console', (message) => {
      // The browser reports every 4xx and 5xx by itself; what the page makes of them is tested.
      if (['error', 'warning'].includes(message.type()) && !message.text().startsWith('Failed to load resource')) add(message.text());
    });
    page.on('pageerror', (error) => add(String(error.stack)));
    page.on('request', (request) => {
      const allowed = [this.url, 'blob:', ...(asks === undefined ? [] : [asks])];
      if (!allowed.some((start) => request.url().startsWith(start))) add(`request to ${request.url()}`);
    });
    return faults;
  }

  /** Takes away what a test leaves in a tab; the next visit clears what the origin keeps. */
  async #clear(page: Page): Promise<void> {
    const context = page.context();
    for (const event of EVENTS) page.removeAllListeners(event);
    context.removeAllListeners('request');
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.clearPermissions();
    await context.clearCookies();
    await Promise.all(context.pages().map((each) => (each === page ? undefined : each.close())));
    if (page.isClosed()) return;
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.mouse.move(0, 0);
  }
}
