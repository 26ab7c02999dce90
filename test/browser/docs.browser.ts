import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { gzipSync } from 'node:zlib';
import { expectAccessible, expectNoOverflow } from './support/pageChecks.ts';
import { consoleSuite } from './support/consoleSuite.ts';
import { PASSWORD, signUp, textOf } from './support/steps.ts';

consoleSuite('the pages about the API', (suite) => {
  const open = (page: Page, name: string): Promise<unknown> => page.goto(`${suite.rig.url}/docs${name}`);
  async function send(page: Page): Promise<string> {
    await page.locator('#try-send').click();
    await page.locator('#try-status:not(:empty)').waitFor();
    await page.locator('#try-send:not([disabled])').waitFor();
    return textOf(page, '#try-status');
  }

  it('finds routes, errors and settings from every page', async () => {
    const page = await suite.visit({ path: '/docs/signUp' });
    await page.keyboard.press('/');
    await page.keyboard.type('horizons');
    await page.locator('#found-list a').first().waitFor();
    expect(await textOf(page, '#found-list li:first-child')).to.include('/auth/ti-tick');
    await expectAccessible(page);
    await page.locator('#find').fill('price.not_positive');
    await page.locator('#found-list a[href="/docs/errors#price.not_positive"]').waitFor();
    await page.locator('#find').fill('FORECAST_QUEUE');
    await page.locator('#found-list a', { hasText: 'FORECAST_QUEUE' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'Settings' }).waitFor();
    expect(new URL(page.url()).hash).to.equal('#FORECAST_QUEUE');
    await page.locator('#find').fill('no such word');
    await page.locator('#found-count', { hasText: 'Nothing found.' }).waitFor();
  });

  it('sends the sample with the key of the console in another tab, and shows status, headers, body and the call', async () => {
    const page = await suite.open();
    const key = await signUp(page);
    const other = await page.context().newPage();
    await open(other, '/tickForecast');
    await other.locator('#try-key-hint', { hasText: `${key.slice(0, 13)}…, from the console in another tab` }).waitFor();
    const sample = (await (await fetch(`${suite.rig.url}/sample`)).json()) as { Timestamp: string[] };
    await other.waitForFunction((count) => document.querySelector('textarea')!.value.split('"20').length > count, sample.Timestamp.length);
    await other.locator('summary', { hasText: 'Optional parameters' }).click();
    await other.locator('#in-answer').selectOption('last');
    const [request] = await Promise.all([other.waitForRequest(/ti-tick/), send(other)]);
    expect(request.url()).to.equal(`${suite.rig.url}/auth/ti-tick?answer=last`);
    expect(await textOf(other, '#try-status')).to.match(/^200 OK · \d+ ms · \d+ bytes$/);
    expect(JSON.parse(await textOf(other, '#try-text'))).to.include({ timestamp: sample.Timestamp.at(-1) });
    expect(await other.locator('#try-headers').textContent()).to.match(/^ratelimit: /m);
    expect(await textOf(other, '#curl'))
      .to.include(`'${suite.rig.url}/auth/ti-tick?answer=last'`)
      .and.not.include(key);
    // Kept only after a choice: a reload in a browser without the console has no key.
    expect(await other.evaluate(() => sessionStorage.length)).to.equal(0);
    await other.locator('#try-keep').check();
    await page.close();
    await other.reload();
    await other.locator('#try-key-hint', { hasText: 'kept in this tab' }).waitFor();
    expect(await other.locator('#try-key').inputValue()).to.equal(key);
    expect(other.url()).to.not.include(key);
  });

  it('links a problem to its remedy, asks twice before it deletes, and lets the browser ask for no password', async () => {
    const page = await suite.visit({ path: '/docs/tickForecast' });
    await page.locator('#try-body').fill('{');
    expect(await send(page)).to.match(/^401 /);
    await page.locator('#try-error a').click();
    expect(await textOf(page, 'tr:target')).to.include('auth.key_refused');
    await open(page, '/deleteAccount');
    await page.locator('#try-email').fill('absent@example.com');
    await page.locator('#try-password').fill(PASSWORD);
    await page.locator('#try-send').click();
    expect(await textOf(page, '#try-send')).to.equal('Press again to delete');
    expect(await page.locator('#try-answer').isVisible()).to.equal(false);
    expect(await send(page)).to.match(/^401 /);
  });

  const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;
  const visits = [
    { title: 'in the light', options: {}, names: ['', '/addWebhook'] },
    { title: 'on a phone in the dark', options: PHONE, names: ['/tickForecast'] },
  ];
  for (const { title, options, names } of visits)
    it(`is clean for assistive technology and light in weight ${title}`, async () => {
      let bytes = 0;
      const weigh = (page: Page): void =>
        void page.on('response', (response) => {
          if (new URL(response.url()).pathname !== '/sample') void response.body().then((body) => (bytes += gzipSync(body).length));
        });
      // Alone: nothing is in the cache.
      const page = await suite.visit({ ...options, path: `/docs${names[0]}`, isAlone: true, prepare: async (page) => weigh(page) });
      for (const name of names) {
        if (name !== names[0]) await open(page, name);
        for (const summary of await page.locator('main summary').locator('visible=true').all())
          await summary.evaluate((part) => part.parentElement!.setAttribute('open', ''));
        await expectAccessible(page);
        await expectNoOverflow(page);
      }
      expect(bytes, 'script, style and pages, gzip').to.be.within(1, 40_000);
    });
});
