import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import { expectAccessible } from './support/pageChecks.ts';
import { consoleSuite } from './support/consoleSuite.ts';
import { accountOf, answered, byService, signUp, textOf, openAdvanced } from './support/steps.ts';
import { csvOf, tickRows } from './support/tickFiles.ts';

/** Rows of one day whose dates may be read in two orders: 03/04/2024. */
function ambiguousRows(): Buffer {
  const { timesUs, prices } = syntheticTicks({ seed: 21, count: 400 });
  const row = (us: number, i: number): string => `03/04/2024 ${new Date(us / 1000).toISOString().slice(11, 23)},${prices[i]}`;
  return Buffer.from(`time,price\n${Array.from(timesUs, row).join('\n')}\n`);
}

consoleSuite('what the console keeps and asks', (suite) => {
  const takeFile = async (page: Page, rows = 3000): Promise<void> => {
    await page.locator('#file').setInputFiles(csvOf(tickRows(rows)));
    await page.locator('#source-name', { hasText: 'ticks.csv' }).waitFor();
    await answered(page);
  };

  it('keeps file, settings, window and zoom over a reload, and the file no longer than the tab', async () => {
    const page = await suite.open();
    await signUp(page);
    await takeFile(page);
    await page.locator('#horizon').fill('90 s');
    await openAdvanced(page);
    await page.locator('#count').fill('300');
    await page.locator('#spread').fill('1.5');
    await page.locator('#fees').fill('0,5');
    await answered(page);
    expect(await page.locator('#move').inputValue()).to.equal('2');
    await page.locator('#walk-start').click();
    await answered(page);
    await page.locator('#zoom-in').click();
    await page.waitForURL(/at=.*zoom=/);
    const address = page.url();
    const window = await textOf(page, '#walk-text');
    await page.reload();
    await page.locator('#source-name', { hasText: 'ticks.csv' }).waitFor();
    await answered(page);
    for (const [field, value] of Object.entries({ horizon: '90 s', count: '300', spread: '1.5', fees: '0,5', move: '2' }))
      expect(await page.locator(`#${field}`).inputValue(), field).to.equal(value);
    expect(await page.locator('#own').isChecked()).to.equal(true);
    expect(await textOf(page, '#walk-text')).to.equal(window);
    expect(await page.locator('#zoom-whole').isVisible()).to.equal(true);
    expect(page.url()).to.equal(address);
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(stored + address).to.not.include('tkm_live_');
    // A colleague has no file, but the same question.
    const other = await page.context().newPage();
    await other.goto(address);
    await answered(other);
    expect(await textOf(other, '#source-name')).to.equal('Sample');
    expect(await other.locator('#horizon').inputValue()).to.equal('90 s');
    // Which deletes the ticks of closed tabs.
    await page.reload();
    await page.locator('#ticks-before', { hasText: 'ticks.csv was loaded before.' }).waitFor();
    await expectAccessible(page, '#ask');
  });

  it('keeps the ticks for longer if the user says so, and the key of the tab', async () => {
    const page = await suite.open();
    const key = await signUp(page);
    await page.locator('#account-open').click();
    await page.locator('#signed [type=submit]').click();
    await page.locator('#account-open').click();
    await page.locator('#login [data-show=signin]').click();
    await page.locator('#key').fill(key);
    await page.locator('#keep').check();
    await page.locator('#signin [type=submit]').click();
    await page.locator('#account:not([open])').waitFor({ state: 'attached' });
    await takeFile(page);
    await page.locator('#keep-ticks').check();
    await page.reload();
    await page.locator('#account-open', { hasNotText: 'Sign in' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(suite.rig.url);
    await other.locator('#source-name', { hasText: 'ticks.csv' }).waitFor();
    expect(await other.locator('#keep-ticks').isChecked()).to.equal(true);
    expect(await textOf(other, '#source-text')).to.include('3,000 ticks');
  });

  it('asks for the order of dates where the file does not tell it, and reads it in the chosen one', async () => {
    const page = await suite.open();
    await page.locator('#file').setInputFiles({ name: 'dates.csv', mimeType: 'text/csv', buffer: ambiguousRows() });
    await page.locator('#ticks-fault', { hasText: 'no row shows which' }).waitFor();
    expect(await textOf(page, '#ticks-fault')).to.not.include('--');
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('way');
    await expectAccessible(page, '#ask');
    await page.locator('#way').selectOption({ label: 'month, day, year' });
    await page.locator('#source-text', { hasText: '2024-03-04 ' }).waitFor();
    await page.locator('#way').selectOption({ label: 'day, month, year' });
    await page.locator('#source-text', { hasText: '2024-04-03 ' }).waitFor();
    // The order stays when the zone is chosen.
    await page.locator('#zone').selectOption('EST');
    await page.locator('#source-text', { hasText: '2024-04-03 05' }).waitFor();
    // Another file needs no choice.
    await page.locator('#file').setInputFiles(csvOf(tickRows(300)));
    await page.locator('#source-name', { hasText: 'ticks.csv' }).waitFor();
    expect(await page.locator('#way-choice').isVisible()).to.equal(false);
  });

  it('adds spread and fees to the threshold, and shows the mean move next to it', async () => {
    const page = await suite.open({ key: await accountOf(suite.rig.url) });
    await byService(page);
    await takeFile(page);
    expect(await textOf(page, '#typical')).to.match(/^Mean move in 1 min: about [\d.]+ bps, by recent volatility\.$/);
    const [request] = await Promise.all([
      page.waitForRequest((sent) => sent.url().includes('min_move_bps=3.25')),
      (async () => {
        await page.locator('#spread').fill('2');
        await page.locator('#fees').fill('1.25');
      })(),
    ]);
    expect(request.method()).to.equal('POST');
    expect(await textOf(page, '#typical')).to.match(/; yours is [\d.]+ times that\.$/);
    await page.locator('#spread').fill('x');
    expect(await page.locator('#spread').getAttribute('aria-invalid')).to.equal('true');
    // Another threshold is no longer the sum.
    await page.locator('#move').fill('7');
    expect(await page.locator('#fees').inputValue()).to.equal('');
  });

  it('forgets the mean move and the threshold of the sample where other ticks have no answer', async () => {
    const page = await suite.open();
    expect(await textOf(page, '#typical')).to.match(/^Mean move/);
    expect(await page.locator('#move').inputValue()).to.not.equal('');
    await byService(page);
    await page.locator('#file').setInputFiles(csvOf(tickRows(3000)));
    await page.locator('#source-name', { hasText: 'ticks.csv' }).waitFor();
    expect(await page.locator('#typical').isVisible()).to.equal(false);
    expect(await page.locator('#move').inputValue()).to.equal('');
    await page.locator('#move').fill('2');
    expect(await page.locator('#typical').isVisible()).to.equal(false);
    // The service would have to answer: a forecast that is asked for opens the sign-up.
    await page.locator('#headline', { hasText: 'Ready to forecast' }).waitFor();
    expect(await page.locator('#account').isVisible()).to.equal(false);
    await page.locator('#send').click();
    await page.locator('#signup [data-close]').click();
    // With a key, the same where the first forecast is refused; a threshold of one's own stays.
    await page.route('**/auth/ti-tick*', (route) => route.abort());
    await signUp(page);
    await page.locator('#failure').waitFor();
    expect(await page.locator('#typical').isVisible()).to.equal(false);
    const refused = page.waitForEvent('requestfailed', (request) => request.url().includes('/auth/ti-tick'));
    await page.locator('#file').setInputFiles({ ...csvOf(tickRows(2000)), name: 'other.csv' });
    await page.locator('#source-name', { hasText: 'other.csv' }).waitFor();
    expect(await page.locator('#move').inputValue()).to.equal('2');
    await refused;
    await page.unroute('**/auth/ti-tick*');
    await page.locator('#failure-again').click();
    await answered(page);
    expect(await textOf(page, '#typical')).to.match(/; yours is [\d.]+ times that\.$/);
  });

  it('dims an old answer after an error, and says that it is old', async () => {
    const page = await suite.open({ key: await accountOf(suite.rig.url) });
    await byService(page);
    await takeFile(page);
    expect(await page.locator('#answer-old').isVisible()).to.equal(false);
    await page.route('**/auth/ti-tick*', (route) => route.abort());
    await page.locator('#send').click();
    await page.locator('#failure').waitFor();
    await page.locator('#answer[data-stale]').waitFor();
    expect(await textOf(page, '#answer-old')).to.equal('This answer is for earlier settings or ticks.');
    await expectAccessible(page, '#answer');
    await page.unroute('**/auth/ti-tick*');
    await page.locator('#failure-again').click();
    await answered(page);
    expect(await page.locator('#answer-old').isVisible()).to.equal(false);
  });
});
