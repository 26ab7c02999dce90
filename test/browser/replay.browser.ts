import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import { expectAccessible, expectNoOverflow } from './support/pageChecks.ts';
import { consoleSuite } from './support/consoleSuite.ts';
import { longestTask } from './support/longestTask.ts';
import { accountOf, answered, byService, requestsOf, signUp, textOf, openAdvanced } from './support/steps.ts';
import { csvOf, tickRows } from './support/tickFiles.ts';

/** The page must never stand still for longer, ms of processor time. */
const FREEZE_MS = 100;
const BATCH = '**/auth/ti-tick/batch*';

consoleSuite('a replay in the console', (suite) => {
  /** A file with some windows of 10 s: one in 40 ticks after the first 1000. */
  const takeFile = async (page: Page, rows = 4000): Promise<void> => {
    await page.locator('#file').setInputFiles(csvOf(tickRows(rows)));
    await page.locator('#source-name', { hasText: 'ticks.csv' }).waitFor();
    await page.locator('#presets label').first().click();
    await answered(page);
  };
  const ended = (page: Page): Promise<void> => page.locator('#replay-text', { hasText: 'replayed in' }).waitFor({ timeout: 120_000 });

  it('computes every window in the page, without a key and without a request', async () => {
    const page = await suite.open();
    const asked = requestsOf(page);
    await page.locator('#file').setInputFiles(csvOf(tickRows(6000)));
    await page.locator('#source-name', { hasText: 'ticks.csv' }).waitFor();
    await page.locator('#presets label').first().click();
    asked.length = 0;
    const longestMs = await longestTask(page, async () => {
      await page.locator('#replay-run').click();
      await ended(page);
    });
    expect(longestMs).to.be.below(FREEZE_MS);
    // The worker of its own, whose engine the browser has.
    expect(asked.filter((path) => !path.startsWith('/console/'))).to.deep.equal([]);
    expect(await textOf(page, '#replay-caption')).to.match(/Computed in this page by base-[\w-]+; nothing was sent\.$/);
    const [figures, text] = [await textOf(page, '#replay-figures'), await textOf(page, '#replay-text')];
    expect(text).to.match(/^\d{3} windows replayed in /);
    // The service gives the same figures.
    await byService(page);
    await signUp(page);
    await page.locator('#replay-run').click();
    await page.locator('#replay-caption', { hasText: 'Computed by the service.' }).waitFor();
    await ended(page);
    expect(await textOf(page, '#replay-figures')).to.equal(figures);
  });

  it('replays the sample in the page too', async () => {
    const page = await suite.open();
    await openAdvanced(page);
    await page.locator('#count').fill('250');
    await page.locator('#presets label').first().click();
    await page.locator('#replay-run:enabled').click();
    await ended(page);
    expect(await textOf(page, '#replay-text')).to.match(/^[1-9]\d* windows? replayed in /);
  });

  it('can be stopped while the engine loads, and asks for a key only where the service must answer', async () => {
    // Without the engine of the tests before in its cache.
    const page = await suite.open({ isAlone: true });
    await page.locator('#file').setInputFiles(csvOf(tickRows(6000)));
    await page.locator('#source-name', { hasText: 'ticks.csv' }).waitFor();
    const held: Route[] = [];
    await page.context().route('**/console/engine.*', (route) => void held.push(route));
    await Promise.all([page.waitForRequest('**/console/engine.*'), page.locator('#replay-run').click()]);
    await page.locator('#replay-stop').click();
    expect(await page.locator('#replay-run').isEnabled()).to.equal(true);
    await page.context().unrouteAll({ behavior: 'ignoreErrors' });
    await byService(page);
    await page.locator('#replay-run').click();
    await page.locator('#account[open]').waitFor();
  });

  it('answers every window of the file in batches, and shows the figures next to their baselines', async () => {
    const page = await suite.open({ key: await accountOf(suite.rig.url) });
    await byService(page);
    await takeFile(page, 6000);
    const sizes: number[] = [];
    await page.context().route(BATCH, async (route) => {
      sizes.push((route.request().postDataJSON() as { items: unknown[] }).items.length);
      await route.continue();
    });
    const startMs = performance.now();
    const longestMs = await longestTask(page, async () => {
      await page.locator('#replay-run').click();
      await ended(page);
    });
    const seconds = (performance.now() - startMs) / 1000;
    const windows = Number(/^([\d,]+) windows/.exec(await textOf(page, '#replay-text'))![1].replace(',', ''));
    process.stdout.write(`    ${windows} windows in ${seconds.toFixed(1)} s; the page's longest task took ${longestMs.toFixed(0)} ms\n`);
    expect(longestMs).to.be.below(FREEZE_MS);
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.equal(windows);
    // Windows of 1000 ticks, as suit 10 s: a batch of them stays near 1 MB.
    expect(Math.max(...sizes)).to.equal(40);
    expect(windows).to.be.above(100);
    expect(await textOf(page, '#replay-figures'))
      .to.include('Base rate')
      .and.include('The base rate so far')
      .and.include('90 % interval');
    expect(await textOf(page, '#replay-paid-text')).to.match(/^Would it have paid\? /);
    const names = await page.locator('#replay-paid-table tbody th').allTextContents();
    expect(names).to.deep.equal(['marks', 'as many by the volatility baseline', 'all windows']);
    expect(await page.locator('#replay-wishes li').count()).to.equal(4);
    for (const plot of ['time', 'curve', 'calibration']) expect(await page.locator(`#replay-${plot} svg`).count()).to.equal(1);
    // The tenths of the calibration hold all windows with a probability and an outcome.
    const counts = await page.locator('#replay-calibration-table td:last-child').allTextContents();
    const ofForm = Number((await page.locator('#replay-lead-rows td').nth(2).textContent())!.split(' of ')[1]);
    expect(counts.reduce((sum, text) => sum + Number(text), 0)).to.be.within(ofForm * 0.9, ofForm);
    await page.locator('#replay-threshold').focus();
    const told = await textOf(page, '#replay-at');
    for (let i = 0; i < 20; i++) await page.keyboard.press('ArrowLeft');
    const other = await textOf(page, '#replay-at');
    expect(other).to.not.equal(told);
    expect(other).to.match(/^Marked from \d+ %: [\d,]+ windows/);
    for (const summary of await page.locator('#replay summary').all()) await summary.click();
    await expectAccessible(page, '#walk');
    // A mark can be looked at.
    await page.locator('#walk-mark').click();
    // Once the window has moved: the one before may be marked too.
    await page.locator('#stepper-text', { hasText: /^Marked, \d+ %\. \S/ }).waitFor();
    // Other settings leave the results, and say so.
    await page.locator('#presets label').nth(1).click();
    await page.locator('#replay-old').waitFor();
  });

  it('is there again after a reload, with its settings, and not with other ticks', async () => {
    const page = await suite.open();
    await takeFile(page);
    await page.locator('#replay-run').click();
    await ended(page);
    const parts = ['#replay-conclusion', '#replay-lead-rows', '#replay-caption', '#replay-text', '#replay-at', '#replay-figures'];
    const shown = (): Promise<string[]> => Promise.all(parts.map((part) => textOf(page, part)));
    const before = await shown();
    await page.reload();
    await ended(page);
    await page.locator('#replay-at', { hasText: 'Marked from' }).waitFor();
    expect(await shown()).to.deep.equal(before);
    expect(await page.locator('#replay-old').isVisible()).to.equal(false);
    expect(await page.locator('#replay-csv').isEnabled()).to.equal(true);
    await takeFile(page, 3000);
    expect(await page.locator('#replay').isVisible()).to.equal(false);
  });

  it('says that the service does not answer where the page cannot load what replays, and blames no memory', async () => {
    const page = await suite.open();
    await takeFile(page);
    await page.route('**/console/replayWorker*', (route) => route.abort());
    await page.locator('#replay-run').click();
    await page.locator('#replay-fault', { hasText: 'The service does not answer' }).waitFor();
    expect(await textOf(page, '#replay-fault')).to.not.include('memory');
  });

  it('can be paused, resumed and stopped, and keeps what it has', async () => {
    const page = await suite.open({ key: await accountOf(suite.rig.url) });
    await byService(page);
    await takeFile(page, 6000);
    // Only two batches are answered: a fast machine would be at the end before the buttons are pressed.
    let batches = 0;
    await page.context().route(BATCH, async (route) => {
      if (++batches <= 2) await route.continue();
    });
    await page.locator('#replay-run').click();
    await page.locator('#replay-pause').click();
    await page.locator('#replay-pause', { hasText: 'Resume' }).waitFor();
    await page.locator('#replay-pause').click();
    await page.locator('#replay-text', { hasText: /[1-9]\d* of/ }).waitFor();
    await page.locator('#replay-stop').click();
    await page.locator('#replay-text', { hasText: 'Stopped.' }).waitFor();
    expect(await page.locator('#replay-run').isEnabled()).to.equal(true);
    // Other ticks clear it.
    await page.locator('#sample').click();
    await page.locator('#replay-progress').waitFor({ state: 'hidden' });
  });

  it('waits as long as the limit asks, goes on after a lost connection, and ends where the key was revoked meanwhile', async () => {
    const page = await suite.open({ key: await accountOf(suite.rig.url) });
    await byService(page);
    await takeFile(page);
    const refuse = (route: Route, status: number, code: string): Promise<void> => {
      const problem = { type: 'x', title: '', status, detail: '', code, requestId: 'r', retryAfterSeconds: status === 429 ? 2 : undefined };
      return route.fulfill({ status, contentType: 'application/problem+json', body: JSON.stringify(problem) });
    };
    let lost = 0;
    let answer = (route: Route): Promise<void> => refuse(route, 429, 'limit.exceeded');
    await page.context().route(BATCH, (route: Route) => answer(route));
    await page.locator('#replay-run').click();
    await page.locator('#replay-text', { hasText: 'next try in 2 s' }).waitFor();
    answer = (route) => {
      if (++lost === 2) answer = (next) => next.continue();
      return route.abort();
    };
    await ended(page);
    expect(lost).to.equal(2);
    expect(await page.locator('#replay-fault').isVisible()).to.equal(false);
    answer = (route) => refuse(route, 401, 'auth.key_refused');
    await page.locator('#replay-run').click();
    await page.locator('#replay-fault', { hasText: 'The key was not accepted.' }).waitFor();
    await expectAccessible(page, '#walk');
  });

  it('compares two versions on the same windows', async () => {
    const page = await suite.open({
      key: await accountOf(suite.rig.url),
      prepare: async (page) => {
        await page.route('**/models', async (route) => {
          const response = await route.fetch();
          const list = (await response.json()) as { models: { id: string; default: boolean }[] };
          await route.fulfill({ json: { ...list, models: [...list.models, { ...list.models[0], id: 'twin', default: false }] } });
        });
        // The twin is the default version under another name.
        await page
          .context()
          .route(`${BATCH}model=twin*`, (route) => route.continue({ url: route.request().url().replace('&model=twin', '') }));
      },
    });
    await takeFile(page);
    await page.locator('#replay-other').selectOption('twin');
    await page.locator('#replay-run').click();
    await ended(page);
    expect(await textOf(page, '#replay-compared')).to.match(/^Brier score (0\.\d{4}) against \1 of twin on \d+ windows: skill 0\.0000 /);
  });

  it('leads with one table of every horizon and threshold, says what clears the cost, and uses a row', async () => {
    const page = await suite.open({ key: await accountOf(suite.rig.url) });
    await takeFile(page);
    await page.locator('#move').fill('500');
    await page.locator('#replay-run').click();
    await ended(page);
    const rows = page.locator('#replay-lead-rows tr');
    expect(await rows.locator('th').allTextContents()).to.deep.equal(['10 s', '10 s', '1 min', '1 min', '5 min', '5 min', '30 min']);
    expect(await rows.nth(1).textContent()).to.match(
      /^10 s500 bps, your cost\d+ of \d+(–|[\d.]+ % \([\d.]+ % to [\d.]+ %\))[\d.]+ %(–|[\d.]+ %)$/,
    );
    expect(await rows.first().textContent()).to.match(/^10 s[\d.]+ bps, by volatility/);
    expect(await rows.last().textContent()).to.match(/^30 minNot useful: /);
    expect(await textOf(page, '#replay-conclusion')).to.match(
      /^Nothing clears your cost of 500 bps: at none of these horizons is the median move larger\. /,
    );
    await expectAccessible(page, '#walk');
    // The service finds the same.
    const found = await textOf(page, '#replay-lead-rows');
    await byService(page);
    await page.locator('#replay-run').click();
    await page.locator('#replay-caption', { hasText: 'Computed by the service.' }).waitFor();
    await ended(page);
    expect(await textOf(page, '#replay-lead-rows')).to.equal(found);
    await page.getByRole('button', { name: 'Use 1 min' }).click();
    await answered(page);
    expect(await page.locator('#horizon').inputValue()).to.equal('1 min');
  });

  it('steps by the keys outside of fields, and lists them', async () => {
    const page = await suite.open();
    await takeFile(page);
    const place = (): Promise<string> => page.locator('#walk-place').inputValue();
    const last = await place();
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('ArrowLeft');
    await page.locator('#outcome', { hasText: /^(Then|No price)/ }).waitFor();
    const before = await place();
    expect(Number(before)).to.be.below(Number(last));
    await page.locator('#horizon').focus();
    await page.keyboard.press('ArrowLeft');
    expect(await place()).to.equal(before);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press('?');
    await page.locator('#help[open]').waitFor();
    await expectAccessible(page, '#help');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Escape');
    await page.locator('#help').waitFor({ state: 'hidden' });
    expect(await place()).to.equal(before);
    // Until the next frame, the focus is still in the closed dialog.
    await page.evaluate(() => {
      document.querySelector('#help-close')!.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
    });
    await page.waitForFunction((old) => (document.querySelector('#walk-place') as HTMLInputElement).value !== old, before);
  });

  it('keeps the answer in view while it steps, on a phone as well', async () => {
    const page = await suite.open({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    await takeFile(page);
    await page.locator('#replay-run').click();
    await ended(page);
    await page.locator('#walk').scrollIntoViewIfNeeded();
    await page.locator('#walk-back').click();
    await page.locator('#stepper-text', { hasText: /(Then|No price)/ }).waitFor();
    // The focus on a button of the bar does not scroll the page.
    await page.evaluate(() => scrollTo(0, 0));
    await page.locator('#walk-next').focus();
    expect(await page.evaluate(() => scrollY)).to.equal(0);
    const box = (await page.locator('#stepper').boundingBox())!;
    expect(box.y + box.height).to.be.at.most(845);
    await expectNoOverflow(page);
    await expectAccessible(page);
  });
});
