import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible, expectNoOverflow } from './support/pageChecks.ts';
import { consoleSuite } from './support/consoleSuite.ts';
import { accountOf, signUp, textOf } from './support/steps.ts';

consoleSuite('the pages about the API', (suite) => {
  const block = (page: Page, name: string) => page.locator(`[id$="-${name}"]`);

  it('opens a route by its name, sends it and shows status, body and the call', async () => {
    const page = await suite.visit({ path: '/docs/sampleForecast' });
    const route = block(page, 'sampleForecast');
    await route.locator('.execute').click();
    await route.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
    expect(await route.locator('.live-responses-table').textContent()).to.include('"trend_identified"');
    expect(await route.locator('.curl-command').textContent()).to.include(`${suite.rig.url}/sample/forecast`);
    expect(new URL(page.url()).hash).to.equal('#/Forecasts/sampleForecast');
  });

  it('sends no optional parameter by itself, and the key of the console in another tab', async () => {
    const key = await accountOf(suite.rig.url);
    const page = await suite.open({ key });
    const other = await page.context().newPage();
    await other.goto(`${suite.rig.url}/docs/tickForecast`);
    await other.locator('.authorization__btn[aria-label$=" locked"]').first().waitFor();
    const [request] = await Promise.all([other.waitForRequest(/ti-tick/), block(other, 'tickForecast').locator('.execute').click()]);
    expect(request.url()).to.equal(`${suite.rig.url}/auth/ti-tick`);
    expect(request.headers()['api-key']).to.equal(key);
    expect((await request.response())?.status()).to.equal(200);
    expect(other.url()).to.not.include(key);
    expect(await other.evaluate(() => sessionStorage.length)).to.equal(0);
  });

  it('calls routes by the session of the console, without a key', async () => {
    const page = await suite.open();
    await signUp(page);
    const other = await page.context().newPage();
    await other.goto(`${suite.rig.url}/docs/tickForecast`);
    const [request] = await Promise.all([other.waitForRequest(/ti-tick/), block(other, 'tickForecast').locator('.execute').click()]);
    expect(request.headers()['api-key']).to.equal(undefined);
    expect((await request.response())?.status()).to.equal(200);
  });

  it('filters the routes, and leads to the list of errors', async () => {
    const page = await suite.visit({ path: '/docs' });
    await page.locator('.operation-filter-input').fill('Alerts');
    await page.locator('.opblock-tag', { hasText: 'Accounts' }).waitFor({ state: 'detached' });
    await page.locator('.views a', { hasText: 'Errors' }).click();
    expect(await textOf(page, 'h1')).to.equal('Errors');
  });

  const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;
  for (const options of [{}, PHONE])
    it(`lists errors cleanly for assistive technology${options === PHONE ? ' on a phone in the dark' : ''}`, async () => {
      const page = await suite.visit({ ...options, path: '/docs/errors' });
      await expectAccessible(page);
      await expectNoOverflow(page);
    });
});
