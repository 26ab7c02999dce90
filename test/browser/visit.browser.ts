import { readdirSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import type { CDPSession, Page } from 'playwright-core';
import { builtFolder } from '../support/tickmarkProcess.ts';
import { expectAccessible, expectNoOverflow, expectTouchTargets } from './support/pageChecks.ts';
import { consoleSuite } from './support/consoleSuite.ts';
import { KEY_EXAMPLE } from '../../src/contract/account.ts';
import { TRACK_RECORD_EXAMPLE } from '../../src/contract/trackRecord.ts';
import { answered, signUp, textOf, unfold } from './support/steps.ts';
import { csvOf, tickRows } from './support/tickFiles.ts';

consoleSuite('the console on a first visit', (suite) => {
  it('shows the sample, its answer, chart and proof, without a key', async () => {
    const page = await suite.open();
    expect(await textOf(page, '#headline')).to.match(/^An unusually large move within \d+ min: \d+ %/);
    expect(await textOf(page, '#line')).to.match(/^More than [\d.]+ bps, up or down\. Marked: marks begin at \d+ %\.$/);
    expect(await page.locator('#figures dt').allTextContents()).to.deep.equal([
      'Probability',
      'Threshold',
      'Your cost',
      'Horizon',
      'Last tick',
    ]);
    expect(await textOf(page, '#sentences')).to.match(/^The model gives \d+ % to a move of more than [\d.]+ bps/);
    expect(await page.locator('#waterfall tbody tr').count()).to.be.at.least(3);
    expect(await textOf(page, '#call-text')).to.equal(`curl -s '${suite.rig.url}/sample/forecast'`);
    expect(await textOf(page, '#chart-words')).to.include('500 ticks over 2 min');
    const colours = await page.locator('#chart canvas').evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      const seen = new Set<string>();
      for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) seen.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
      return seen.size;
    });
    expect(colours, 'colours on the canvas').to.be.above(20);
    expect(await page.locator('#welcome').isVisible()).to.equal(true);
  });

  /** How a page is looked at. 200 %: a window of 1280 px has 640 of them. */
  const MODES = {
    light: {},
    dark: { colorScheme: 'dark' },
    'with forced colours': { colorScheme: 'dark', forcedColors: 'active' },
    'at 200 %': { viewport: { width: 640, height: 430 } },
    'on a phone': { viewport: { width: 390, height: 844 } },
  } as const;
  const FILE = async (page: Page): Promise<void> => {
    const name = `${'a-very-long-name'.repeat(8)}.csv`;
    await page.locator('#file').setInputFiles({ ...csvOf(tickRows(3000)), name });
    await page.locator('#source-name', { hasText: name }).waitFor();
    await page.locator('#presets label').first().click();
    await answered(page);
    await page.locator('#walk-back').click();
    await page.locator('#score', { hasText: '1 window' }).waitFor();
  };
  /** What is on the page. */
  const VIEWS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    'the sample with everything open': async (page) => {
      await unfold(page);
      await page.locator('#quiet summary').click();
      await page.locator('#paste-open').click();
    },
    'a replay': async (page) => {
      await FILE(page);
      await page.locator('#replay-run').click();
      await page.locator('#replay-text', { hasText: 'replayed in' }).waitFor();
      for (const summary of await page.locator('#replay summary').all()) await summary.click();
    },
    'a stream': async (page) => {
      await FILE(page);
      await page.locator('#live-link').click();
      await page.locator('#live-speeds label', { hasText: 'max' }).click();
      await page.locator('#live-start').click();
      await page.locator('#live-state[data-phase=ended]').waitFor();
    },
    'the track record': async (page) => {
      const { rows, ...others } = TRACK_RECORD_EXAMPLE;
      const record = {
        ...others,
        rows: rows.flatMap((row) => [row, { ...row, bucket: 'h30s', series: 'a-series-with-a-name-of-forty-characters' }]),
      };
      await page.route('**/auth/track-record*', (route) => route.fulfill({ json: record }));
      await signUp(page);
      await page.locator('#record-link').click();
      await page.locator('#record-table tbody tr').nth(1).waitFor();
    },
    'a key that is shown once': async (page) => void (await signUp(page, undefined, { goOn: false })),
    'the keys of an account': async (page) => {
      await signUp(page);
      const key = { ...KEY_EXAMPLE, name: 'n'.repeat(64) };
      await page.route('**/account/keys', (route) => route.fulfill({ json: { keys: [key, key, key] } }));
      await page.locator('#account-open').click();
      await page.locator('#signed [data-login=keys]').click();
      await page.getByRole('button', { name: 'Revoke the key' }).first().click();
    },
  };
  for (const [view, show] of Object.entries(VIEWS))
    it(`is clean for assistive technology with ${view}: ${Object.keys(MODES).join(', ')}`, async () => {
      const page = await suite.open();
      await show(page);
      for (const mode of Object.values<{ viewport?: { width: number; height: number }; colorScheme?: 'dark'; forcedColors?: 'active' }>(
        MODES,
      )) {
        const { viewport = { width: 1280, height: 860 }, colorScheme = null, forcedColors = null } = mode;
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme, forcedColors });
        await expectAccessible(page);
        await expectNoOverflow(page);
        if (viewport.width < 560) await expectTouchTargets(page);
      }
    });

  it('draws each colour of the chart apart from its ground with forced colours', async () => {
    const page = await suite.open();
    await page.emulateMedia({ colorScheme: 'dark', forcedColors: 'active' });
    // A redraw reads the colours again.
    await page.locator('#theme').click();
    const shades = await page.locator('#chart canvas').evaluate((canvas: HTMLCanvasElement) => {
      const { data, width, height } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
      // The tags of the price axis: text on a filled ground, so both bright and dark.
      let [bright, dark] = [0, 0];
      for (let y = 0; y < height; y++)
        for (let x = width - 60; x < width; x++) {
          const at = 4 * (y * width + x);
          if (data[at + 3] < 200) continue;
          if (data[at] + data[at + 1] + data[at + 2] > 600) bright++;
          else if (data[at] + data[at + 1] + data[at + 2] < 150) dark++;
        }
      return [bright, dark];
    });
    expect(Math.min(...shades), String(shades)).to.be.above(100);
  });

  it('follows the system into the dark, and the button out of it for good', async () => {
    const page = await suite.open();
    const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await ground();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await ground()).to.not.equal(light);
    await page.locator('#theme').click();
    expect(await ground()).to.equal(light);
    await page.reload();
    expect(await ground()).to.equal(light);
  });

  it('can be walked by keyboard: skip link, dialog, Escape, and back to where one was', async () => {
    const page = await suite.open();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.className)).to.equal('skip');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('answer');
    await page.locator('#account-open').focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('login-email');
    await page.keyboard.press('Escape');
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('account-open');
    await page.locator('#chart').focus();
    await page.keyboard.press('Home');
    expect(await textOf(page, '#readout')).to.match(/^2024-01-02 00:00:00\.817 +100/);
    expect(await page.locator('#chart').getAttribute('aria-valuetext')).to.equal(await textOf(page, '#readout'));
    await page.locator('#call > summary').click();
    await page.locator('#tab-curl').focus();
    await page.keyboard.press('ArrowRight');
    expect(await textOf(page, '#call-text')).to.include('client.sampleForecast()');
    await page.locator('#live-link').click();
    await page.locator('#skip').focus();
    await page.keyboard.press('Enter');
    // Also while the code of the view is on its way.
    await page.waitForFunction(() => document.activeElement?.id === 'live-card');
    expect(await page.evaluate(() => location.hash)).to.equal('#live');
  });

  it('has drawn the sample after less than 0.8 s of work', async () => {
    // Processor time of the page's main thread, which other programs of the machine do not change much.
    let session: CDPSession | undefined;
    await suite.open({
      isAlone: true,
      prepare: async (page) => {
        session = await page.context().newCDPSession(page);
        await session.send('Performance.enable', { timeDomain: 'threadTicks' });
      },
    });
    const { metrics } = await session!.send('Performance.getMetrics');
    const workMs = 1000 * metrics.find(({ name }) => name === 'TaskDuration')!.value;
    process.stdout.write(`    answer and chart of the sample after ${workMs.toFixed(0)} ms of work\n`);
    expect(workMs).to.be.within(1, 800);
  });

  it('loads at most 90 kB, less than 90 kB more for the reader of files, the engine only for a replay, and nothing twice', async () => {
    const folder = path.join(builtFolder(), 'console');
    const page = await suite.open();
    const sizeOf = (name: string): number => statSync(path.join(folder, `${name}.gz`)).size;
    const names = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname));
    const loaded = new Set(['index.html', ...names.filter((name) => name.startsWith('/console/')).map((name) => path.basename(name))]);
    const first = [...loaded].reduce((total, name) => total + sizeOf(name), 0);
    const reader = Math.max(...readdirSync(folder).flatMap((name) => (/Worker\..*\.js$/.test(name) ? [sizeOf(name)] : [])));
    process.stdout.write(`    gzipped: ${(first / 1000).toFixed(1)} kB at first, ${(reader / 1000).toFixed(1)} kB to read files\n`);
    expect(first).to.be.within(60_000, 90_000);
    expect(reader).to.be.below(90_000);
    expect(names.filter((name) => /engine|Worker/.test(name))).to.deep.equal([]);
    // The icon is named twice, for the tab and for the page's head; the second is the browser's own copy.
    expect(names.filter((name, at) => names.indexOf(name) !== at && !name.includes('/icon.'))).to.deep.equal([]);
  });
});
