import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { expectAccessible } from './support/pageChecks.ts';
import { consoleSuite } from './support/consoleSuite.ts';
import { accountOf, answered, PASSWORD, signUp, textOf } from './support/steps.ts';

consoleSuite('the keys of an account in the console', (suite) => {
  const isGood = async (key: string): Promise<boolean> => (await fetch(`${suite.rig.url}/auth/me`, { headers: { 'Api-Key': key } })).ok;

  async function logIn(page: Page, email: string, password = PASSWORD): Promise<void> {
    await page.locator('#account-open').click();
    if (await page.locator('#login').isVisible()) await page.locator('#login [data-show=signin]').click();
    await page.locator('#signin [data-login=keys], #signed [data-login=keys]').locator('visible=true').click();
    await page.locator('#login-email').fill(email);
    await page.locator('#login-password').fill(password);
    await page.locator('#login [type=submit]').click();
  }

  it('makes a new key after a lost one, and shows it once', async () => {
    const page = await suite.open();
    const lost = await accountOf(suite.rig.url, 'lost@example.com');
    await page.locator('#account-open').click();
    await page.locator('#login [data-show=signin]').click();
    await page.getByRole('button', { name: 'Lost your key?' }).click();
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('login-email');
    await page.keyboard.type('lost@example.com');
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.locator('#keys-list li', { hasText: lost.slice(0, 13) }).waitFor();
    expect(await textOf(page, '#keys-list')).to.match(/made \d{4}-\d\d-\d\d, never used/);
    await page.locator('#key-name').fill('laptop');
    await page.keyboard.press('Enter');
    await page.locator('#issued:not([hidden])').waitFor();
    const key = await textOf(page, '#issued-key');
    expect(key)
      .to.match(/^tkm_live_[0-9A-Za-z]{33}$/)
      .and.not.equal(lost);
    // Twice: the second Escape closes a dialog whatever its page says.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.locator('#issued-key').waitFor();
    await page.locator('#saved').check();
    await page.locator('#issued-go').click();
    await page.locator('#account:not([open])').waitFor({ state: 'attached' });
    expect(await textOf(page, '#account-open')).to.equal('lost@example.com');
    expect(await page.content())
      .to.not.include(key)
      .and.not.include(PASSWORD);
    expect(await page.locator('#login-password').inputValue()).to.equal('');
    await page.locator('#send').click();
    await answered(page);
    expect([await isGood(key), await isGood(lost)]).to.deep.equal([true, true]);
    await page.locator('#account-open').click();
    await page.locator('#signed [data-login=keys]').click();
    await page.locator('#keys-list li', { hasText: 'laptop' }).waitFor();
  });

  it('revokes a key at the second press only, and says that it is revoked', async () => {
    const page = await suite.open();
    const old = await accountOf(suite.rig.url, 'revoke@example.com');
    await logIn(page, 'revoke@example.com');
    const name = `Revoke the key ${old.slice(0, 13)}…`;
    await page.getByRole('button', { name }).click();
    expect(await page.evaluate(() => document.activeElement?.textContent)).to.equal('Keep it');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name }).waitFor();
    expect(await isGood(old)).to.equal(true);
    await page.getByRole('button', { name }).click();
    await page.getByRole('button', { name: 'Revoke it' }).click();
    await page.locator('#keys-told', { hasText: `The key ${old.slice(0, 13)}… is revoked.` }).waitFor();
    expect(await isGood(old)).to.equal(false);
    expect(await textOf(page, '#keys-list')).to.equal('This account has no active key. Create one.');
    expect(await textOf(page, '#keys-dead-title')).to.equal('1 inactive key');
    await page.locator('#keys-dead summary').click();
    expect(await textOf(page, '#keys-dead-list')).to.match(/revoked \d{4}-\d\d-\d\d/);
    expect(await page.getByRole('button', { name: 'Revoke the key' }).count()).to.equal(0);
    await expectAccessible(page, '#account');
  });

  it('shows each fault next to its field, and one without a field under the form; the browser opens no password dialog', async () => {
    const page = await suite.open();
    const key = await accountOf(suite.rig.url, 'faults@example.com');
    const cdp = await page.context().newCDPSession(page);
    const asked: string[] = [];
    cdp.on('Fetch.authRequired', ({ requestId, request }) => {
      asked.push(request.url);
      void cdp.send('Fetch.continueWithAuth', { requestId, authChallengeResponse: { response: 'CancelAuth' } });
    });
    cdp.on('Fetch.requestPaused', ({ requestId }) => void cdp.send('Fetch.continueRequest', { requestId }));
    await cdp.send('Fetch.enable', { handleAuthRequests: true });
    await logIn(page, 'no address', '');
    expect(await textOf(page, '#login-email-fault')).to.equal('Write the e-mail that you signed up with.');
    expect(await textOf(page, '#login-password-fault')).to.equal('Write the password that you signed up with.');
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('login-email');
    await expectAccessible(page, '#account');
    await page.locator('#login-email').fill('faults@example.com');
    await page.locator('#login-password').fill('wrong horse 42');
    await page.locator('#login [type=submit]').click();
    await page.locator('#login-password-fault', { hasText: 'E-mail and password were not accepted.' }).waitFor();
    expect(asked).to.deep.equal([]);
    await cdp.detach();
    await page.locator('#login-password').fill(PASSWORD);
    await page.locator('#login [type=submit]').click();
    await page.locator('#key-name').fill('n'.repeat(65));
    await page.locator('#keys [type=submit]').click();
    await page.locator('#key-name-fault', { hasText: 'The name must have 1 to 64 characters; it has 65.' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('key-name');
    await expectAccessible(page, '#account');
    for (let count = 1; count < 20; count++)
      await fetch(`${suite.rig.url}/auth/keys/rotate`, { method: 'POST', headers: { 'Api-Key': key } });
    await page.locator('#key-name').fill('one more');
    await page.locator('#keys [type=submit]').click();
    await page.locator('#keys [data-fault]', { hasText: 'The account has reached its limit of keys.' }).waitFor();
    expect(await page.locator('#key-name-fault').isVisible()).to.equal(false);
  });

  it('shows what each key was used for, and what the limit of the key in use leaves', async () => {
    const page = await suite.open();
    await signUp(page, 'use@example.com');
    await page.route('**/account/keys', async (route) => {
      const answer = await route.fetch();
      const { keys } = (await answer.json()) as { keys: object[] };
      const [key] = keys;
      const busy = {
        ...key,
        prefix: 'tkm_live_Busy',
        forecasts_today: 1200,
        forecasts_30_days: 34_000,
        refused_today: 0,
        refused_30_days: 12,
      };
      await route.fulfill({ response: answer, json: { keys: [key, busy] } });
    });
    await page.locator('#account-open').click();
    await page.locator('#signed-limits li').waitFor();
    expect(await textOf(page, '#signed-limits')).to.equal('Limit: 6,000 of 6,000 forecasts in 60 s are left.');
    await expectAccessible(page, '#account');
    await page.locator('#signed [data-login=keys]').click();
    await page.locator('#keys-list li').nth(1).waitFor();
    const lines = (at: number): Promise<string[]> =>
      page.locator('#keys-list li').nth(at).locator('.small-words:not(.hint)').allTextContents();
    expect(await lines(0)).to.deep.equal(['0 forecasts today, 0 in 30 days']);
    expect(await lines(1)).to.deep.equal(['1,200 forecasts today, 34,000 in 30 days', '0 refused today, 12 in 30 days']);
  });
});
