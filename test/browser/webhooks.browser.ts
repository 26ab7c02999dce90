import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible, expectNoOverflow } from './support/pageChecks.ts';
import { consoleSuite } from './support/consoleSuite.ts';
import { PASSWORD, signUp, textOf } from './support/steps.ts';

consoleSuite('the alerts of an account in the console', (suite) => {
  const received: { readonly headers: http.IncomingHttpHeaders; readonly body: string }[] = [];
  let status = 200;
  const target = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      response.writeHead(status).end();
    });
  });
  let url: string;
  before(async () => {
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/alerts`;
  });
  after(() => target.close());

  async function openAlerts(page: Page): Promise<void> {
    await page.locator('#account-open').click();
    await page.locator('#signed [data-login=hooks]').click();
    await page.locator('#hooks:not([hidden])').waitFor();
  }

  it('adds a target, shows its secret once, tests it, and removes it at the second press', async () => {
    const page = await suite.open();
    await signUp(page);
    await openAlerts(page);
    expect(await textOf(page, '#hooks-list')).to.include('No target yet.');
    await page.locator('#hook-url').fill(url);
    await page.locator('#hook-events input[value="record.worse"]').uncheck();
    await page.keyboard.press('Enter');
    await page.locator('#hook-issued:not([hidden])').waitFor();
    expect(await textOf(page, '#hook-secret')).to.match(/^whsec_[\w+/=]{20,}$/);
    expect(await textOf(page, '#hooks-list')).to.match(/marks, outcomes of marks; added \d{4}-/);
    await expectAccessible(page, '#account');
    await page.getByRole('button', { name: `Test: ${url}` }).click();
    await page.locator('.hook-told', { hasText: 'Delivered: the target answered 200.' }).waitFor();
    expect(JSON.parse(received.at(-1)!.body)).to.include({ type: 'webhook.test' });
    expect(received.at(-1)!.headers['webhook-signature']).to.match(/^v1,/);
    status = 500;
    await page.getByRole('button', { name: `Test: ${url}` }).click();
    await page.locator('.hook-told[data-kind=bad]', { hasText: 'Not delivered: status 500.' }).waitFor();
    await page.getByRole('button', { name: `Failed alerts: ${url}` }).click();
    await page.locator('.hook-told', { hasText: 'No alert was given up.' }).waitFor();
    await page.locator('#hooks [data-login=keys]').click();
    await page.locator('#keys-list li').waitFor();
    await page.locator('#keys [data-login=hooks]').click();
    await page.locator('#hooks-list li code').waitFor();
    expect(await page.locator('#hook-issued').isVisible()).to.equal(false);
    await page.getByRole('button', { name: `Change: ${url}` }).click();
    expect(await page.locator('#hook-url').inputValue()).to.equal(url);
    await page.locator('#hook-events input[value="forecast.settled"]').uncheck();
    await page.getByRole('button', { name: 'Save the change' }).click();
    await page.locator('#hooks-told', { hasText: 'Its secret is the same.' }).waitFor();
    expect(await textOf(page, '#hooks-list')).to.match(/marks; added \d{4}-/);
    await page.getByRole('button', { name: `Change: ${url}` }).click();
    await page.getByRole('button', { name: 'Add another target' }).click();
    expect(await page.locator('#hook-url').inputValue()).to.equal('');
    await page.locator('#hook-url').fill(`${url}/typed`);
    await page.getByRole('button', { name: `Remove ${url}` }).click();
    expect(await page.evaluate(() => document.activeElement?.textContent)).to.equal('Keep it');
    await page.getByRole('button', { name: 'Remove it' }).click();
    await page.locator('#hooks-told', { hasText: 'gets no more alerts.' }).waitFor();
    expect(await page.locator('#hook-url').inputValue()).to.equal(`${url}/typed`);
    expect(await page.content())
      .to.not.include('whsec_')
      .and.not.include(PASSWORD);
  });

  it('sends words to a chat', async () => {
    status = 200;
    const page = await suite.open();
    await signUp(page);
    await openAlerts(page);
    await page.locator('#hook-format').selectOption('telegram');
    expect(await textOf(page, '#hook-url-hint')).to.include('https://api.telegram.org/bot');
    await page.locator('#hook-url').fill(`${url}/bot`);
    await page.keyboard.press('Enter');
    await page.locator('#hook-chat-fault:not([hidden])').waitFor();
    await page.locator('#hook-chat').fill('-100');
    await page.keyboard.press('Enter');
    await page.locator('#hooks-told', { hasText: 'The target was added. Test it.' }).waitFor();
    expect(await page.locator('#hook-issued').isVisible()).to.equal(false);
    expect(await textOf(page, '#hooks-list')).to.include('Telegram: marks');
    await expectAccessible(page, '#account');
    await page.getByRole('button', { name: 'Test: ' }).click();
    await page.locator('.hook-told', { hasText: 'Delivered' }).waitFor();
    expect(JSON.parse(received.at(-1)!.body)).to.include({ chat_id: '-100' });
    await page.getByRole('button', { name: 'Change: ' }).click();
    await page.locator('#hook-format').selectOption('json');
    await page.getByRole('button', { name: 'Save the change' }).click();
    await page.locator('#hooks-told', { hasText: 'remove it and add it again' }).waitFor();
  });

  it('shows a refused URL next to its field, and alerts that were given up, on a phone in the dark', async () => {
    const page = await suite.open({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    await signUp(page);
    await openAlerts(page);
    await page.locator('#hook-url').fill('https://169.254.169.254/latest');
    await page.keyboard.press('Enter');
    await page.locator('#hook-url-fault', { hasText: 'The URL must not contain a private or reserved address.' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('hook-url');
    const failed = { id: 'msg_1', type: 'forecast.marked', created_at: '2026-01-02T03:00:00.000Z', failed_at: '2026-01-02T03:04:05.000Z' };
    await page.route('**/failed', (route) => route.fulfill({ json: { failed: [{ ...failed, attempts: 8, error: 'status 500' }] } }));
    await page.locator('#hook-url').fill(`${url}/${'long'.repeat(40)}`);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Failed alerts' }).click();
    await page.locator('.failed', { hasText: '2026-01-02 03:04 UTC: forecast.marked, 8 attempts, status 500' }).waitFor();
    await expectNoOverflow(page);
    await expectAccessible(page, '#account');
  });
});
