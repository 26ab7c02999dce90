import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { verifyRecord } from '../../src/cli/record/verifyRecord.ts';
import { TRACK_RECORD_EXAMPLE, type TrackRecordAnswer } from '../../src/contract/trackRecord.ts';
import { expectAccessible, expectNoOverflow } from './support/pageChecks.ts';
import { consoleSuite } from './support/consoleSuite.ts';
import { accountOf, answered, signUp, textOf } from './support/steps.ts';
import { csvOf, tickRows } from './support/tickFiles.ts';

const [ROW] = TRACK_RECORD_EXAMPLE.rows;

/** The example of the document has fewer. */
const BINS = [
  { from: 0, outcomes: 610, moved: 48, probability_sum: 40.1 },
  { from: 0.1, outcomes: 300, moved: 51, probability_sum: 45.6 },
  { from: 0.2, outcomes: 180, moved: 100, probability_sum: 66.2 },
  { from: 0.4, outcomes: 100, moved: 41, probability_sum: 43.9 },
];

/** Rows of two series, versions and horizons over some weeks. */
const RECORD: TrackRecordAnswer = {
  ...TRACK_RECORD_EXAMPLE,
  rows: ['2026-10-30', '2026-11-20', '2026-11-24'].flatMap((day) => [
    { ...ROW!, bins: BINS, day },
    { ...ROW!, bins: BINS, day, series: 'btcusd', bucket: 'h30s', model: 'mine-2026', brier_sum: 190 },
  ]),
};

const answerWith = (page: Page, answer: TrackRecordAnswer): Promise<unknown> =>
  page.route('**/auth/track-record*', (route) => route.fulfill({ json: answer }));

consoleSuite('the track record and the history in the console', (suite) => {
  it('asks for a key, and says what is missing before the first forecast is counted', async () => {
    const page = await suite.open();
    await page.locator('#record-link').click();
    await page.locator('#record-words', { hasText: 'sign in' }).waitFor();
    await expectAccessible(page, '#record-view');
    await page.locator('#record-signin').click();
    await page.locator('#login:not([hidden])').waitFor();
    await page.locator('#login [data-close]').click();
    await signUp(page);
    await page.locator('#record-words', { hasText: 'No forecast has been counted in this time' }).waitFor();
    expect(await page.locator('#record-table').isVisible()).to.equal(false);
  });

  it('counts a stream within seconds, under its name', async () => {
    const page = await suite.open({ key: await accountOf(suite.rig.url) });
    await page.locator('#live-link').click();
    await page.locator('#live-name').fill('my.series');
    await page.locator('#live-record').check();
    await page.locator('#live-speeds label', { hasText: 'max' }).click();
    await page.locator('#live-start').click();
    await page.locator('#live-state[data-phase=ended]').waitFor();
    await page.locator('#record-link').click();
    await page.locator('#record-by').selectOption('series');
    // Its ticks are of 2024, and so is its day in the record.
    await page.locator('#record-weeks').selectOption({ label: 'All that is kept' });
    // The service writes what it has counted every 10 s.
    for (let asked = 0; asked < 60 && (await page.locator('#record-table th[scope=row]').count()) === 0; asked++) {
      const loaded = page.waitForResponse((response) => response.url().includes('/auth/track-record'));
      await page.locator('#record-again').click();
      await loaded;
      await page.waitForTimeout(500);
    }
    expect(await page.locator('#record-table th[scope=row]').first().textContent()).to.equal('up to 30 smy.series');
    expect(await textOf(page, '#record-words')).to.match(
      /^Not told apart from the (recalibrated volatility baseline|base rate so far): up to 30 s/,
    );
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#record-seal').click()]);
    expect(download.suggestedFilename()).to.equal('tickmark.record');
    const { forecasts, seals } = verifyRecord(readFileSync(await download.path(), 'utf8'));
    expect(forecasts.map(({ series }) => series)).to.include('my.series');
    expect(await textOf(page, '#record-sealed-words')).to.include(`key ${seals[0].key}`);
  });

  it('shows the record by horizon and week, series or version, in words, with intervals and as CSV', async () => {
    const page = await suite.open({ key: await accountOf(suite.rig.url), prepare: (page) => answerWith(page, RECORD) });
    await page.locator('#record-link').click();
    const names = (): Promise<string[]> => page.locator('#record-table th[scope=row]').allTextContents();
    await page.locator('#record-table tbody tr').nth(5).waitFor();
    expect((await names()).slice(0, 4)).to.deep.equal([
      ...['2026-11-23 to 11-29', '2026-11-16 to 11-22', '2026-10-26 to 11-01'].map((week) => `up to 30 s${week}`),
      'over 30 s, up to 3 min2026-11-23 to 11-29',
    ]);
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#record-csv').click()]);
    expect(download.suggestedFilename()).to.equal('track-record.csv');
    expect(readFileSync(await download.path(), 'utf8').split('\n')).to.have.length(8);
    // Of one horizon.
    expect(await page.locator('#record-calibration-figure').isVisible()).to.equal(false);
    await page.locator('#record-horizon').selectOption('h3m');
    expect(await page.locator('#record-calibration circle').count()).to.equal(4);
    expect(await page.locator('#record-calibration-table tbody tr').first().allTextContents()).to.deep.equal([
      '0 to 10 %7 %8 %144 of 1,830',
    ]);
    await expectAccessible(page, '#record-view');
    await page.locator('#record-horizon').selectOption('');
    await page.locator('#record-by').selectOption('bucket');
    expect(await names()).to.deep.equal(['up to 30 s', 'over 30 s, up to 3 min']);
    await page.locator('#record-by').selectOption('model');
    expect(await names()).to.deep.equal(['up to 30 smine-2026', 'over 30 s, up to 3 minbase-2026-11-27']);
    await page.locator('#record-series').selectOption('eurusd');
    expect(await textOf(page, '#record-words')).to.include('The probabilities were better than the recalibrated volatility baseline');
    await page.locator('#record-series').selectOption('btcusd');
    expect(await textOf(page, '#record-words')).to.include('the recalibrated volatility baseline alone would have been better.');
    expect(await textOf(page, '#record-table td.interval-cell')).to.match(
      /^volatility: −0\.\d{4} \(.+\)worse than the recalibrated volatility baseline$/,
    );
    const [request] = await Promise.all([
      page.waitForRequest((one) => one.url().includes('/auth/track-record')),
      page.locator('#record-weeks').selectOption('1'),
    ]);
    expect(request.url()).to.match(/\?from=\d{4}-\d\d-\d\d$/);
  });

  it('says that the service keeps none, or does not answer', async () => {
    const page = await suite.open({ key: await accountOf(suite.rig.url) });
    await answerWith(page, { ...TRACK_RECORD_EXAMPLE, kept: false, rows: [] });
    await page.locator('#record-link').click();
    await page.locator('#record-words', { hasText: 'This service keeps no track record' }).waitFor();
    await page.unroute('**/auth/track-record*');
    await page.route('**/auth/track-record*', (route) => route.abort());
    await page.locator('#record-again').click();
    await page.locator('#record-words', { hasText: 'The service does not answer.' }).waitFor();
    await expectAccessible(page, '#record-view');
    await page.unroute('**/auth/track-record*');
    await page.locator('#record-again').click();
    await page.locator('#record-words', { hasText: 'No forecast has been counted' }).waitFor();
  });

  it('goes to the view of a link, also where the address of the view before is written at that moment', async () => {
    const page = await suite.open({
      isAlone: true,
      prepare: (prepared) =>
        prepared.addInitScript(() => {
          const { setTimeout } = globalThis;
          const timers: unknown[] = ((globalThis as { timers?: unknown }).timers = []);
          globalThis.setTimeout = ((run: () => void, ms?: number) => {
            if (ms === 400) timers.push(run);
            return setTimeout(run, ms);
          }) as typeof setTimeout;
        }),
    });
    await page.evaluate(() => {
      document.querySelector('#horizon')!.dispatchEvent(new Event('change', { bubbles: true }));
      document.querySelector<HTMLElement>('#record-link')!.click();
      // Before the browser tells of the link.
      (globalThis as unknown as { timers: (() => void)[] }).timers.at(-1)!();
    });
    await page.locator('#record-view').waitFor();
    expect(page.url()).to.match(/#record$/);
  });

  it('names the view in the address: a reload and the back button keep it', async () => {
    const page = await suite.open();
    await page.locator('#live-link').click();
    expect(new URL(page.url()).hash).to.equal('#live');
    await page.reload();
    await page.locator('#live-view').waitFor();
    expect(await page.locator('#live-link').getAttribute('aria-current')).to.equal('page');
    await page.locator('#record-link').click();
    await page.goBack();
    await page.locator('#live-view').waitFor();
  });

  it('keeps a history of the answers of this tab, and moves the window back to one', async () => {
    const page = await suite.open({ key: await accountOf(suite.rig.url) });
    expect(await page.locator('#history').isVisible()).to.equal(false);
    await page.locator('#file').setInputFiles(csvOf(tickRows(3000)));
    await page.locator('#source-name', { hasText: 'ticks.csv' }).waitFor();
    await answered(page);
    await page.locator('#walk-start').click();
    await page.locator('#walk-text', { hasText: 'tick 500 of' }).waitFor();
    await answered(page);
    await page.locator('#history summary').click();
    await page.locator('#history-rows tr').nth(1).waitFor();
    const [newest, oldest] = await page.locator('#history-rows tr').allTextContents();
    expect(newest)
      .to.include('ticks.csv')
      .and.match(/the price (went|did not move)|no move/i);
    await expectAccessible(page, '#history');
    await expectNoOverflow(page);
    await page.locator('#history-rows tr').nth(1).locator('button').click();
    await page.locator('#walk-text', { hasText: 'tick 3,000 of 3,000' }).waitFor();
    expect(oldest).to.include((await textOf(page, '#walk-text')).match(/ends at ([\d-]+ [\d:.]+),/)![1]);
    // Of ticks that were replaced, only the words are left.
    await page.locator('#sample').click();
    await page.locator('#source-name', { hasText: 'Sample' }).waitFor();
    await answered(page);
    expect(await page.locator('#history-rows button').count()).to.equal(0);
  });
});
