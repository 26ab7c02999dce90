import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible, expectNoOverflow } from './support/pageChecks.ts';
import { consoleSuite } from './support/consoleSuite.ts';
import { textOf } from './support/steps.ts';

/** The service's own answer, with a market that is lively in the afternoon. */
async function withMarket(page: Page): Promise<void> {
  await page.route(/\/models\/[^/]+$/, async (route) => {
    const response = await route.fetch();
    const market = {
      ...{ from: '2024-01-01T00:00:00.000Z', to: '2024-02-26T00:00:00.000Z', daylight: 'none', level_bps_per_sqrt_s: 0.1 },
      ...{ level_until: '2024-05-20T00:00:00.000Z', clock_until: '2099-01-01T00:00:00.000Z', heads: ['h15m', 'hlong'] },
      profile: Array.from({ length: 1440 }, (_, minute) => 1 + 0.8 * Math.sin((2 * Math.PI * (minute - 480)) / 1440)),
    };
    await route.fulfill({ response, json: { ...((await response.json()) as object), market } });
  });
}

consoleSuite('the market of a version in the console', (suite) => {
  it('is hidden for a version without one', async () => {
    const page = await suite.open();
    expect(await page.locator('#market').isVisible()).to.equal(false);
  });

  it('is shown as a picture with its words', async () => {
    for (const options of [{}, { viewport: { width: 390, height: 844 } }] as const) {
      const page = await suite.open({ ...options, prepare: withMarket });
      await page.locator('#market').waitFor({ state: 'visible' });
      expect(await textOf(page, '#market-text')).to.include('Learned from 2024-01-01 to 2024-02-26; used by h15m, hlong.');
      expect(await textOf(page, '#market-words')).to.match(/Quietest at 0[12]:\d0 \(0\.20\), liveliest at 1[34]:\d0 \(1\.80\)\./);
      const points = await page.locator('#market-picture polyline').getAttribute('points');
      expect(points?.split(' ')).to.have.length(144);
      await expectAccessible(page, '#market');
      await expectNoOverflow(page);
    }
  });
});
