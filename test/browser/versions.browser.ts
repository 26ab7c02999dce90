import * as path from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { writeCurrentVersion } from '../../src/engine/model/registry/currentVersion.ts';
import { request } from '../support/request.ts';
import { saveSmallModel } from '../support/saveSmallModel.ts';
import { until } from '../support/until.ts';
import { expectAccessible } from './support/pageChecks.ts';
import { consoleSuite } from './support/consoleSuite.ts';
import { accountOf, answered, byService, requestsOf, signUp, textOf, openAdvanced } from './support/steps.ts';
import { csvOf, tickRows } from './support/tickFiles.ts';

consoleSuite(
  'own versions in the console',
  (suite) => {
    const place = (page: Page, words: string): Promise<void> =>
      page.locator('#answer-place', { hasText: words }).waitFor({ state: 'attached' });
    const takeFile = async (page: Page): Promise<void> => {
      await page.locator('#file').setInputFiles(csvOf(tickRows(4000)));
      await page.locator('#source-name', { hasText: 'ticks.csv' }).waitFor();
    };
    /** Numbers of the answer, without its time. */
    const answerOf = async (page: Page): Promise<string> => {
      await answered(page);
      return (await textOf(page, '#figures')) + (await textOf(page, '#sentences'));
    };
    before(async () => {
      const models = path.join(suite.rig.dataDir, 'models');
      await saveSmallModel(models, 'mine', {}, 46);
      await until(async () => (await request(suite.rig.url, '/models/mine')).status === 200);
    });

    it('fetches the version that is chosen, and computes forecasts, replay and stream with it in the page', async () => {
      const page = await suite.open();
      await takeFile(page);
      await openAdvanced(page);
      // Without a key, nothing changes.
      await page.locator('#version').selectOption('mine');
      await page.locator('#signup:not([hidden])').waitFor();
      await page.locator('#signup [data-close]').click();
      expect(await page.locator('#version').inputValue()).to.equal('');
      await signUp(page);
      const asked = requestsOf(page);
      await page.locator('#version').selectOption('mine');
      await place(page, 'Computed in this page by mine; nothing was sent.');
      const inPage = await answerOf(page);
      expect(await textOf(page, '#call-text')).to.include('&model=mine');
      await page.locator('#replay-other').selectOption('mine');
      await page.locator('#replay-run').click();
      await page.locator('#replay-text', { hasText: 'replayed in' }).waitFor();
      expect(await textOf(page, '#replay-caption')).to.include('Computed in this page by mine and mine; nothing was sent.');
      await expectAccessible(page, '#walk');
      await page.locator('#live-link').click();
      await page.locator('#live-speeds label', { hasText: 'max' }).click();
      await page.locator('#live-start').click();
      await page.locator('#live-state[data-phase=ended]').waitFor();
      expect(await textOf(page, '#live-place')).to.equal('Computed in this page by mine; nothing was sent.');
      expect(asked.filter((path) => path.startsWith('/auth/'))).to.deep.equal(['/auth/models/mine/files', '/auth/models/mine/files']);
      // The service gives the same answer.
      await page.locator('#forecast-link').click();
      await page.locator('#version').selectOption('');
      await place(page, 'by base-');
      const served = await suite.open({ key: await accountOf(suite.rig.url) });
      await byService(served);
      await takeFile(served);
      await openAdvanced(served);
      await served.locator('#version').selectOption('mine');
      await place(served, 'Computed by the service.');
      await served.locator('#call-text', { hasText: '&model=mine' }).waitFor({ state: 'attached' });
      expect(await answerOf(served)).to.equal(inPage);
    });

    it('fetches the default version of the service where the page contains another one', async () => {
      writeCurrentVersion(path.join(suite.rig.dataDir, 'models'), { id: 'mine', sinceMs: 0, by: 'promote' });
      await until(async () => (await request(suite.rig.url, '/health/ready')).json['model'] === 'mine');
      const page = await suite.open();
      await takeFile(page);
      await page.locator('#answer', { hasText: 'the page fetches that version' }).waitFor();
      await signUp(page);
      await place(page, 'Computed in this page by mine; nothing was sent.');
      await page.locator('#replay-run').click();
      await page.locator('#replay-text', { hasText: 'replayed in' }).waitFor();
      expect(await textOf(page, '#replay-caption')).to.include('Computed in this page by mine; nothing was sent.');
    });
  },
  { hasOwnService: true },
);
