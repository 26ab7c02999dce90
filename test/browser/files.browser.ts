import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ConsoleRig, expectAccessible, type Visit } from './support/ConsoleRig.ts';
import { answered, textOf } from './support/steps.ts';
import { csvOf, tickRows } from './support/tickFiles.ts';

/** The page must never stand still for longer, ms. */
const FREEZE_MS = 100;
/** Megabytes of the long file; a whole run by hand takes FILE_MB=500. */
const FILE_MB = Number(process.env['FILE_MB'] ?? 40);

/** A plain sentence or more: no code, no stack, no "undefined". */
const PLAIN = /^[A-Z0-9a-z].*[.!?]$/s;

/** Counts, from now on, the longest time that the page's thread was busy in one piece. */
async function watchFreezes(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const seen = { longest: 0 };
    (globalThis as unknown as { seen: typeof seen }).seen = seen;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration);
    }).observe({ type: 'longtask' });
  });
  return () => page.evaluate(() => (globalThis as unknown as { seen: { longest: number } }).seen.longest);
}

async function writeLongFile(file: string, megabytes: number): Promise<number> {
  const out = createWriteStream(file);
  let rows = 0;
  let atMs = Date.UTC(2024, 0, 2);
  out.write('time,price\n');
  while (out.bytesWritten + out.writableLength < megabytes * 1e6) {
    let block = '';
    for (let i = 0; i < 20_000; i++, rows++) {
      atMs += 50 + ((rows * 37) % 200);
      block += `${new Date(atMs).toISOString().replace('T', ' ').slice(0, -1)},${(100 + Math.sin(rows / 900) + ((rows * 7919) % 13) / 1000).toFixed(3)}\n`;
    }
    if (!out.write(block)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
  return rows;
}

describe('tick files in the console', function () {
  let rig: ConsoleRig | undefined;
  let visit: Visit;

  before(async function () {
    rig = await ConsoleRig.start();
    if (rig === undefined) this.skip();
  });
  after(() => rig?.close());
  beforeEach(async () => {
    visit = await rig!.visit();
    await answered(visit.page);
  });
  afterEach(() => rig?.leave(visit));

  for (const [name, buffer, words] of [
    ['an empty file', Buffer.alloc(0), /empty|no ticks/],
    ['ten ticks', csvOf(tickRows(10)).buffer, /10 ticks; a forecast needs 200 at least/],
    ['binary garbage', Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919 + (i >> 3) * 31) % 256)), /./],
    ['prose', Buffer.from('Dear Sir or Madam,\nplease find the ticks attached.\n'.repeat(40)), /./],
  ] as const)
    it(`${name}: a plain sentence, and the sample stays`, async () => {
      const { page } = visit;
      await page.locator('#file').setInputFiles({ name: 'odd.csv', mimeType: 'text/csv', buffer });
      await page.locator('#ticks-fault:not([hidden])').waitFor();
      const told = await textOf(page, '#ticks-fault');
      expect(told).to.match(PLAIN).and.match(words);
      expect(told).to.not.match(/undefined|NaN|\bat \w+ \(|TypeError|Error:/);
      expect(await textOf(page, '#source-name')).to.equal('Sample');
      await expectAccessible(page);
    });

  it('reads a long file in the background: the page never stands still, and the last million ticks are kept', async () => {
    const { page } = visit;
    const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-long-'));
    try {
      const file = path.join(folder, 'long.csv');
      const rows = await writeLongFile(file, FILE_MB);
      const longest = await watchFreezes(page);
      const startMs = performance.now();
      await page.locator('#file').setInputFiles(file);
      await page.locator('#reading').waitFor();
      await page.locator('#source-name', { hasText: 'long.csv' }).waitFor({ timeout: 280_000 });
      const seconds = (performance.now() - startMs) / 1000;
      const freeze = await longest();
      const megabytes = statSync(file).size / 1e6;
      process.stdout.write(
        `    ${megabytes.toFixed(0)} MB, ${rows} ticks in ${seconds.toFixed(1)} s; the page's longest task took ${freeze === 0 ? 'under 50' : freeze.toFixed(0)} ms\n`,
      );
      expect(await textOf(page, '#source-text')).to.include(`${rows.toLocaleString('en')} ticks`);
      if (rows > 1_000_000) expect(await textOf(page, '#source-text')).to.include('The last 1,000,000 are kept');
      expect(freeze).to.be.below(FREEZE_MS);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('stops reading where it is told to', async () => {
    const { page } = visit;
    const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-long-'));
    try {
      const file = path.join(folder, 'long.csv');
      await writeLongFile(file, FILE_MB);
      await page.locator('#file').setInputFiles(file);
      await page.locator('#reading-stop').click();
      await page.locator('#reading').waitFor({ state: 'hidden' });
      expect(await textOf(page, '#source-name')).to.equal('Sample');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
