import { expect } from 'chai';
import { openLocalLink } from '../../src/cli/serve/localLink.ts';
import { readSettings } from '../../src/core/config/settings.ts';
import { expectAccessible } from './support/pageChecks.ts';
import { consoleSuite } from './support/consoleSuite.ts';
import { accountOf, answered, PASSWORD, signUp, textOf } from './support/steps.ts';

consoleSuite('accounts in the console', (suite) => {
  it('shows each fault that the service finds next to its field and focuses the first; also that an e-mail is taken', async () => {
    const page = await suite.open();
    await page.locator('#welcome-signup').click();
    await page.locator('#email').fill('no-at-sign');
    await page.locator('#password').fill('short');
    await page.locator('#confirm_password').fill('other');
    await page.locator('#signup [type=submit]').click();
    await page.locator('#email-fault').waitFor();
    expect(await textOf(page, '#email-fault')).to.match(/^The e-mail must .*Send an e-mail address/);
    expect(await textOf(page, '#password-fault')).to.match(/^The password must have at least 8/);
    expect(await textOf(page, '#confirm_password-fault')).to.equal('Both passwords must be equal.');
    expect(await page.evaluate(() => document.activeElement?.id)).to.equal('email');
    await expectAccessible(page, '#account');
    expect(page.url()).to.equal(`${suite.rig.url}/`);
    await accountOf(suite.rig.url, 'taken@example.com');
    await page.locator('#email').fill('taken@example.com');
    await page.locator('#password').fill(PASSWORD);
    await page.locator('#confirm_password').fill(PASSWORD);
    await page.locator('#signup [type=submit]').click();
    await page.locator('#email-fault', { hasText: 'An account with this e-mail exists.' }).waitFor();
  });

  it('shows the key once, keeps the dialog until it is saved, and then nowhere', async () => {
    const page = await suite.open();
    const key = await signUp(page, 'once@example.com', { goOn: false });
    expect(key).to.match(/^tkm_live_[0-9A-Za-z]{33}$/);
    await page.keyboard.press('Escape');
    expect(await page.locator('#issued').isVisible()).to.equal(true);
    expect(await page.locator('#issued-go').isDisabled()).to.equal(true);
    await page.locator('#saved').check();
    await page.locator('#issued-go').click();
    await page.locator('#welcome').waitFor({ state: 'hidden' });
    expect(await page.content()).to.not.include(key);
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.cookie]));
    expect(stored).to.not.include(key);
    expect(await textOf(page, '#account-open')).to.equal('once@example.com');
  });

  it('asks before it uses the key of a link, says whose it is, and takes it out of the address', async () => {
    const page = await suite.open();
    const key = await accountOf(suite.rig.url, 'link@example.com');
    // Another fragment of the same address would be no new page.
    const follow = async (): Promise<void> => {
      await page.goto('about:blank');
      await page.goto(`${suite.rig.url}/#key=${key}`);
      await page.locator('#linked').waitFor();
      expect(page.url()).to.equal(`${suite.rig.url}/`);
      expect(await textOf(page, '#linked-text'))
        .to.include('link@example.com')
        .and.not.include('replace');
      expect(await textOf(page, '#account-open')).to.equal('Sign in');
    };
    await follow();
    await expectAccessible(page, '#account');
    await page.locator('#linked [data-close]').click();
    await answered(page);
    expect(await textOf(page, '#account-open')).to.equal('Sign in');
    await follow();
    await page.locator('#linked-use').click();
    await answered(page);
    expect(await textOf(page, '#account-open')).to.equal('link@example.com');
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.cookie]));
    expect(stored).to.not.include(key);
  });

  it('signs in once in a browser: a reload and another tab are signed in, until the session is ended', async () => {
    const page = await suite.open();
    const email = 'session@example.com';
    await accountOf(suite.rig.url, email);
    await page.locator('#account-open').click();
    await page.locator('#login-email').fill(email);
    await page.locator('#login-password').fill(PASSWORD);
    await expectAccessible(page, '#account');
    await page.keyboard.press('Enter');
    await page.locator('#account-open', { hasText: email }).waitFor();
    expect(await page.locator('#login-password').inputValue()).to.equal('');
    expect(await page.evaluate(() => document.cookie), 'no script reads the token').to.equal('');
    await page.reload();
    await answered(page);
    expect(await textOf(page, '#account-open')).to.equal(email);
    const other = await page.context().newPage();
    await other.goto(suite.rig.url);
    await other.locator('#account-open', { hasText: email }).click();
    await other.locator('#sessions .tag', { hasText: 'this browser' }).waitFor();
    expect(await textOf(other, '#sessions')).to.match(/Chrome on Linux.*since \d{4}-\d\d-\d\d/);
    await expectAccessible(other, '#account');
    await other.getByRole('button', { name: 'End the session Chrome on Linux' }).click();
    await other.getByRole('button', { name: 'End it' }).click();
    await other.locator('#account-open', { hasText: 'Sign in' }).waitFor();
    await other.close();
    await page.reload();
    await page.locator('#account-open', { hasText: 'Sign in' }).waitFor();
  });

  it('is signed in for good by the link of npm start', async () => {
    const page = await suite.open();
    const { url, dataDir } = suite.rig;
    const link = await openLocalLink({ ...readSettings({}), dataDir }, url, true);
    await page.goto('about:blank');
    await page.goto(link?.url ?? '');
    await page.locator('#account-open', { hasText: 'local@tickmark.invalid' }).waitFor();
    await link?.revoke();
    await page.goto(url);
    await answered(page);
    await page.locator('#account-open', { hasText: 'local@tickmark.invalid' }).click();
    await page.locator('#signed [data-login=keys]').click();
    await page.locator('#keys:not([hidden])').waitFor();
    expect((await page.context().cookies()).map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).to.deep.equal([[true, 'Strict']]);
  });

  it('keeps the key of the tab if a link with another one is not confirmed, and names the replacement', async () => {
    const page = await suite.open();
    const other = await accountOf(suite.rig.url, 'other@example.com');
    const mine = await accountOf(suite.rig.url, 'mine@example.com');
    await page.evaluate((key) => sessionStorage.setItem('tickmark.key', key), mine);
    const keys: string[] = [];
    page.on('request', (request) => void (request.headers()['api-key'] !== undefined && keys.push(request.headers()['api-key'])));
    await page.goto('about:blank');
    await page.goto(`${suite.rig.url}/#key=${other}`);
    await page.locator('#linked').waitFor();
    expect(await textOf(page, '#linked-text'))
      .to.include('other@example.com')
      .and.include('It would replace the key');
    await page.keyboard.press('Escape');
    expect(await textOf(page, '#account-open')).to.equal(`${mine.slice(0, 13)}…`);
    expect(await page.evaluate(() => sessionStorage.getItem('tickmark.key'))).to.equal(mine);
    expect(keys).to.not.include(other);
  });

  it('says that the key of a link is not valid', async () => {
    const page = await suite.open();
    await page.goto('about:blank');
    await page.goto(`${suite.rig.url}/#key=tkm_live_${'0'.repeat(33)}`);
    await page.locator('#linked').waitFor();
    expect(await textOf(page, '#linked-text')).to.include('not valid');
    expect(await page.locator('#linked-use').isVisible()).to.equal(false);
  });

  it('puts the key on the clipboard, and says where it cannot', async () => {
    const page = await suite.open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const key = await signUp(page, 'copy@example.com', { goOn: false });
    await page.locator('#issued-copy').click();
    await page.locator('#issued-told', { hasText: 'on the clipboard' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).to.equal(key);
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.locator('#issued-copy').click();
    await page.locator('#issued-told', { hasText: 'Select the key and copy it' }).waitFor();
  });

  it('signs in with a key, forgets it with the page, and keeps it in the tab only where asked', async () => {
    const page = await suite.open();
    const key = await signUp(page, 'back@example.com');
    const signIn = async (keep: boolean): Promise<void> => {
      await page.locator('#account-open').click();
      await page.locator('#login [data-show=signin]').click();
      await page.locator('#key').fill(key);
      await page.locator('#keep').setChecked(keep);
      await page.locator('#signin [type=submit]').click();
      await page.locator('#account-open', { hasText: 'back@example.com' }).waitFor();
    };
    await page.locator('#account-open').click();
    await page.locator('#signed-out').click();
    await signIn(false);
    await page.reload();
    await answered(page);
    expect(await textOf(page, '#account-open')).to.equal('Sign in');
    await signIn(true);
    await page.reload();
    await answered(page);
    expect(await textOf(page, '#account-open')).to.equal(`${key.slice(0, 13)}…`);
    await page.locator('#account-open').click();
    await expectAccessible(page, '#account');
    await page.locator('#signed [type=submit]').click();
    expect(await textOf(page, '#account-open')).to.equal('Sign in');
    expect(await page.evaluate(() => sessionStorage.length)).to.equal(0);
  });

  it('shows the refusal of a wrong key next to its field', async () => {
    const page = await suite.open();
    await page.locator('#welcome-signin').click();
    await page.locator('#login [data-show=signin]').click();
    await page.locator('#signin [type=submit]').click();
    expect(await textOf(page, '#key-fault')).to.equal('Paste the key that sign-up gave you.');
    await page.locator('#key').fill('tkm_live_wrong');
    await page.locator('#signin [type=submit]').click();
    await page.locator('#key-fault', { hasText: 'The key was not accepted.' }).waitFor();
    await expectAccessible(page, '#account');
  });
});
