import { createWriteStream, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { walkBars } from '../support/walkBars.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import { expectAccessible } from './support/pageChecks.ts';
import { consoleSuite } from './support/consoleSuite.ts';
import { longestTask } from './support/longestTask.ts';
import { answered, sees, textOf } from './support/steps.ts';
import { csvOf, tickRows } from './support/tickFiles.ts';

/** The page must never stand still for longer, ms of processor time. */
const FREEZE_MS = 100;
/** Megabytes of the long file; a whole run by hand takes FILE_MB=500. */
const FILE_MB = Number(process.env['FILE_MB'] ?? 33);

/** A plain sentence or more: no code, no stack, no "undefined". */
const PLAIN = /^[A-Z0-9a-z].*[.!?]$/s;

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

/** The rows of one series, each written by a function of its time in UTC milliseconds and its price. */
function rowsBy(write: (ms: number, price: number, row: number) => string, count = 400): string {
  const { timesUs, prices } = syntheticTicks({ seed: 21, count });
  return Array.from(timesUs, (us, i) => write(us / 1000, prices[i], i)).join('\n') + '\n';
}

const iso = (ms: number, zone = ''): string => new Date(ms).toISOString().slice(0, 23).replace('T', ' ') + zone;

/** Files as they come from elsewhere, all of one series. */
const SPELLINGS: Readonly<Record<string, Buffer>> = {
  'a BOM, semicolons and decimal commas': Buffer.from(
    '\uFEFFTime;Price\r\n' + rowsBy((ms, price) => `${iso(ms)};${price.toFixed(2).replace('.', ',')}\r`),
  ),
  'JSON lines': Buffer.from(rowsBy((ms, price) => JSON.stringify({ time: iso(ms), price }))),
  gzip: gzipSync('time,price\n' + rowsBy((ms, price) => `${iso(ms)},${price}`)),
};

consoleSuite('tick files in the console', (suite) => {
  it('bars: asks what their timestamps are, then forecasts and plays them', async () => {
    const page = await suite.open();
    const { series, bars } = walkBars({ count: 900 });
    const { open, high, low } = bars.ranges;
    const rows = [...series.timesUs].map((us, i) => [iso(us / 1000 - 60_000), open[i], high[i], low[i], series.prices[i]].join());
    const buffer = Buffer.from(`date,open,high,low,close\n${rows.join('\n')}\n`);
    await page.locator('#file').setInputFiles({ name: 'bars.csv', mimeType: 'text/csv', buffer });
    await page.locator('#bar-time-choice:not([hidden])').waitFor();
    expect(await textOf(page, '#ticks-fault')).to.equal('bars.csv holds bars of 60 s. Choose below what their timestamps are.');
    expect(await textOf(page, '#source-name')).to.equal('Sample');
    await expectAccessible(page, '#ask');
    await page.locator('#bar-time').selectOption('open');
    await page.locator('#source-name', { hasText: 'bars.csv' }).waitFor();
    expect(await textOf(page, '#source-notes')).to.include('open, high, low');
    expect(await textOf(page, '#source-text')).to.include('2026-01-05 00:01:00.000');
    // 1 min is no horizon of bars of a minute: the first one that they have is chosen.
    expect(await page.locator('#presets label').allTextContents()).to.deep.equal(['5 min', '30 min', '2 h']);
    await answered(page);
    expect(await page.locator('#horizon').inputValue()).to.equal('5 min');
    expect(await page.locator('#presets :checked').inputValue()).to.equal('5 min');
    expect(await page.locator('#figures dd').first().textContent()).to.match(/^[\d.]+ %/);
    for (const part of ['#source-text', '#walk-text', '#readout', '#figures', '#input-figures', '#ask'])
      expect(await textOf(page, part), part).to.not.match(/\b[Tt]icks? (?:used|\d)|\d ticks?\b|Last tick\b/);
    await page.locator('#horizon').fill('30 bars');
    await page.locator('#horizon').press('Tab');
    await answered(page);
    expect(await textOf(page, '#answer')).to.not.include('ticks.too_few');
    const forecast = await textOf(page, '#call-text');
    expect(forecast).to.include('bar_time').and.include('"Close": [');
    await page.locator('#bar-time').selectOption('close');
    await page.locator('#source-text', { hasText: '2026-01-05 00:00:00.000 to' }).waitFor();
    await page.locator('#live-link').click();
    await page.locator('#live-state', { hasText: 'bars.csv, 900 bars: Start' }).waitFor();
    await page.locator('#live-speeds label', { hasText: 'max' }).click();
    await page.locator('#live-start').click();
    await page.locator('#live-state[data-phase=ended]').waitFor();
    expect(await textOf(page, '#live-state')).to.equal('The file has ended: 900 bars.');
    // A forecast for each horizon at each bar from the 199th on.
    expect(await textOf(page, '#live-csv-hint')).to.include('2,106 forecasts');
    expect(await page.locator('#live-rows tr[data-status=abstained]').count()).to.equal(0);
  });

  it('answers a file that it cannot use with a plain sentence, and keeps the sample', async () => {
    const page = await suite.open();
    for (const [name, buffer, words] of [
      ['empty', Buffer.alloc(0), /empty|no ticks/],
      ['binary garbage', Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919 + (i >> 3) * 31) % 256)), /./],
      ['prose', Buffer.from('Dear Sir or Madam,\nplease find the ticks attached.\n'.repeat(40)), /./],
      ['ten ticks', csvOf(tickRows(10)).buffer, /10 ticks; a forecast needs 200 at least/],
    ] as const) {
      // Takes away what is wrong with the file before.
      await page.locator('#file').setInputFiles({ name: 'odd.csv', mimeType: 'text/csv', buffer });
      await page.locator('#ticks-fault:not([hidden])').waitFor();
      const told = await textOf(page, '#ticks-fault');
      expect(told, name).to.match(PLAIN).and.match(words);
      expect(told, name).to.not.match(/undefined|NaN|\bat \w+ \(|TypeError|Error:/);
      expect(await textOf(page, '#source-name'), name).to.equal('Sample');
    }
    await expectAccessible(page, '#ask');
  });

  it('reads files as they come from elsewhere, tick by tick', async () => {
    const page = await suite.open();
    const { timesUs, prices } = syntheticTicks({ seed: 21, count: 400 });
    for (const [name, buffer] of Object.entries(SPELLINGS)) {
      const file = `${name}.csv`;
      await page.locator('#file').setInputFiles({ name: file, mimeType: 'text/csv', buffer });
      await page.locator('#source-name, #ticks-fault:not([hidden])', { hasText: file }).first().waitFor();
      expect(await textOf(page, '#ticks-fault'), name).to.equal('');
      expect(await textOf(page, '#source-text'), name).to.include(`${iso(timesUs[0] / 1000)} to ${iso(timesUs[399] / 1000)} UTC`);
      const words = await textOf(page, '#chart-words');
      expect(words, name)
        .to.include('400 ticks over')
        .and.include(`begins at ${prices[0].toFixed(2)} and ends at ${prices[399].toFixed(2)};`);
      for (const note of await page.locator('#source-notes li').allTextContents()) expect(note, name).to.match(PLAIN).and.not.include('--');
    }
  });

  it('shows the plan with the first and the last tick, and asks which of two markets in one table is read', async () => {
    const page = await suite.open();
    const give = (name: string, text: string): Promise<void> =>
      page.locator('#file').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
    await give('plan.csv', `time,size,price\n${rowsBy((ms, price, row) => `${iso(ms)},${row % 7},${price}`)}`);
    await page.locator('#source-name', { hasText: 'plan.csv' }).waitFor();
    const { timesUs, prices } = syntheticTicks({ seed: 21, count: 400 });
    const shown = await textOf(page, '#source-notes');
    expect(shown).to.include('Read by time: "time"').and.include('price: "price" (by its name)').and.include('unused: "size"');
    expect(shown)
      .to.include(`the first tick is ${iso(timesUs[0] / 1000)} UTC at ${prices[0]}`)
      .and.include(`at ${prices[399]}`);
    await give('two.csv', `time,symbol,price\n${rowsBy((ms, price, row) => `${iso(ms)},${row % 2 ? 'A1,' : 'B1,1'}${price}`)}`);
    await page.locator('#ticks-fault:not([hidden])', { hasText: 'it holds several markets' }).waitFor();
    expect(await textOf(page, '#ticks-fault')).to.not.include('--');
    expect(await textOf(page, '#source-name')).to.equal('plan.csv');
    await page.locator('#way').selectOption({ label: 'only A1' });
    await page.locator('#source-name', { hasText: 'two.csv' }).waitFor();
  });

  it('asks for the zone of stamps that name none, and reads the file again in the one that is chosen', async () => {
    const page = await suite.open();
    const { timesUs } = syntheticTicks({ seed: 21, count: 400 });
    const utc = timesUs[0] / 1000;
    expect(await page.locator('#zone-choice').isVisible()).to.equal(false);
    const rows = rowsBy((ms, price) => `${iso(ms)},${price}`);
    await page.locator('#file').setInputFiles({ name: 'local.csv', mimeType: 'text/csv', buffer: Buffer.from(`time,price\n${rows}`) });
    await page.locator('#source-name', { hasText: 'local.csv' }).waitFor();
    expect(await page.getByLabel('Timestamps have no zone; read as').inputValue()).to.equal('UTC');
    expect(await page.locator('#source-notes li').allTextContents()).to.include('The stamps carry no zone; they were read as UTC.');
    await expectAccessible(page, '#ask');
    // January: New York is five hours behind.
    await page.locator('#zone').focus();
    await page.locator('#zone').selectOption('America/New_York');
    await page.locator('#source-text', { hasText: iso(utc + 5 * 3_600_000) }).waitFor();
    expect(await page.locator('#zone').inputValue()).to.equal('America/New_York');
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('zone');
    expect((await page.locator('#source-notes li').allTextContents()).join()).to.not.include('carry no zone');
    // Another file resets the zone, and a file that states its zone needs no choice.
    await page.locator('#file').setInputFiles({ name: 'other.csv', mimeType: 'text/csv', buffer: Buffer.from(`time,price\n${rows}`) });
    await page.locator('#source-name', { hasText: 'other.csv' }).waitFor();
    expect(await page.locator('#zone').inputValue()).to.equal('UTC');
    const zoned = rowsBy((ms, price) => `${iso(ms, 'Z')},${price}`);
    await page.locator('#file').setInputFiles({ name: 'zoned.csv', mimeType: 'text/csv', buffer: Buffer.from(`time,price\n${zoned}`) });
    await page.locator('#source-name', { hasText: 'zoned.csv' }).waitFor();
    expect(await page.locator('#zone-choice').isVisible()).to.equal(false);
  });

  it("offers the browser's own zone, and goes back to the old one where the file can no longer be read", async () => {
    const page = await suite.open({ timezoneId: 'Pacific/Auckland' });
    const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-zone-'));
    const file = path.join(folder, 'gone.csv');
    try {
      writeFileSync(file, csvOf(tickRows(300)).buffer);
      await page.locator('#file').setInputFiles(file);
      await page.locator('#source-name', { hasText: 'gone.csv' }).waitFor();
      expect(await page.locator('#zone option').last().textContent()).to.equal('Pacific/Auckland (this computer)');
      rmSync(file);
      await page.locator('#zone').selectOption('Pacific/Auckland');
      await page.locator('#ticks-fault', { hasText: 'can no longer be read' }).waitFor();
      expect(await page.locator('#zone').inputValue()).to.equal('UTC');
      expect(await textOf(page, '#source-name')).to.equal('gone.csv');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("warns in the open of ticks that are sparser than the model's own range, which the service tells", async () => {
    const page = await suite.open();
    const { models } = (await (await fetch(`${suite.rig.url}/models`)).json()) as { models: { trained: { median_gap_s: number[] } }[] };
    const longestS = models[0].trained.median_gap_s[1];
    const start = Date.UTC(2024, 0, 2);
    const rows = Array.from({ length: 300 }, (_, i) => `${iso(start + i * 20 * longestS * 1000, 'Z')},${100 + (i % 7) / 10}`).join('\n');
    const buffer = Buffer.from(`time,price\n${rows}\n`);
    await page.locator('#file').setInputFiles({ name: 'sparse.csv', mimeType: 'text/csv', buffer });
    await page.locator('#source-notes li', { hasText: 'the model was trained on' }).waitFor();
    const note = await textOf(page, '#source-notes li.warns');
    expect(note).to.match(
      /^Warning: The usual step between ticks is 20 min; .* answers null outside of it\. Use ticks, or bars in place of their closes\.$/,
    );
    expect(note).to.include(` to ${Math.round(longestS)} s and`);
    await expectAccessible(page, '#ask');
    // A service that does not say: the file is read all the same, and nothing is claimed.
    await page.route('**/models', () => {});
    await page.locator('#file').setInputFiles({ name: 'again.csv', mimeType: 'text/csv', buffer });
    await page.locator('#source-name', { hasText: 'again.csv' }).waitFor({ timeout: 5000 });
    expect((await page.locator('#source-notes li').allTextContents()).join()).to.not.include('trained');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('reads a long file in the background: the page never stands still, and the last million ticks are kept', async () => {
    const page = await suite.open();
    const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-long-'));
    try {
      const file = path.join(folder, 'long.csv');
      const rows = await writeLongFile(file, FILE_MB);
      const startMs = performance.now();
      const longestMs = await longestTask(page, async () => {
        await page.locator('#file').setInputFiles(file);
        await page.locator('#source-name', { hasText: 'long.csv' }).waitFor({ timeout: 280_000 });
      });
      const seconds = (performance.now() - startMs) / 1000;
      const megabytes = statSync(file).size / 1e6;
      process.stdout.write(
        `    ${megabytes.toFixed(0)} MB, ${rows} ticks in ${seconds.toFixed(1)} s; the page's longest task took ${longestMs.toFixed(0)} ms\n`,
      );
      expect(await textOf(page, '#source-text')).to.include(`${rows.toLocaleString('en')} ticks`);
      if (rows > 1_000_000) expect(await textOf(page, '#source-text')).to.include('The last 1,000,000 are kept');
      expect(longestMs).to.be.below(FREEZE_MS);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('stops reading where it is told to', async () => {
    const page = await suite.open();
    const folder = mkdtempSync(path.join(tmpdir(), 'tickmark-long-'));
    try {
      const file = path.join(folder, 'long.csv');
      await writeLongFile(file, FILE_MB);
      const part = { selector: '#reading-text', words: /, [1-9][\d,]* rows$/, press: '#reading-stop' };
      await sees(page, part, () => page.locator('#file').setInputFiles(file));
      await page.locator('#reading').waitFor({ state: 'hidden' });
      expect(await textOf(page, '#source-name')).to.equal('Sample');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
