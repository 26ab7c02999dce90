import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { KeyAuthenticator } from '../../../src/service/accounts/KeyAuthenticator.ts';
import { keyStatus } from '../../../src/service/accounts/accountKeys.ts';
import { WebhookService } from '../../../src/service/accounts/WebhookService.ts';
import { OPERATOR, withAccounts, withNewAccounts } from '../../../src/service/app/withAccounts.ts';
import { openLocalLink } from '../../../src/cli/serve/localLink.ts';
import { run } from '../../../src/cli/run.ts';
import { readSettings, type Settings } from '../../../src/core/config/settings.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { until } from '../../support/until.ts';

const URL_OF_SERVICE = 'http://127.0.0.1:8080';

describe('the link with a local key', function () {
  this.timeout(60_000);
  let folder: string;
  let settings: Settings;
  beforeEach(() => {
    folder = temporaryFolder();
    settings = { ...readSettings({}), dataDir: folder };
  });

  const keyOf = (url: string | undefined): string => /#key=(tkm_live_\w{33})$/.exec(url ?? '')?.[1] ?? '';
  const whose = (key: string): Promise<string | undefined> =>
    withAccounts(settings, async ({ store, clock }) => (await new KeyAuthenticator({ store, clock }).authenticate(key))?.email);

  it('carries a real key of a local account in its fragment', async () => {
    const link = await openLocalLink(settings, URL_OF_SERVICE, true);
    expect(link?.url).to.match(/^http:\/\/127\.0\.0\.1:8080\/#key=tkm_live_\w{33}$/);
    expect(await whose(keyOf(link?.url))).to.equal('local@tickmark.invalid');
    await link?.revoke();
    expect(await whose(keyOf(link?.url))).to.equal(undefined);
  });

  it('has a fresh key at each start: those of earlier links are revoked, the account stays', async () => {
    const first = await openLocalLink(settings, URL_OF_SERVICE, true);
    const second = await openLocalLink(settings, URL_OF_SERVICE, true);
    expect(await whose(keyOf(first?.url))).to.equal(undefined);
    expect(await whose(keyOf(second?.url))).to.equal('local@tickmark.invalid');
    await withAccounts(settings, async ({ store, clock }) => {
      const accounts = await store.listAccounts({ limit: 10 });
      const live = accounts.flatMap(({ keys }) => keys.filter((key) => keyStatus(key, clock.nowMs()) === 'active'));
      expect([accounts.length, live.length, live[0]?.name]).to.deep.equal([1, 1, 'console link']);
      expect(live[0]?.expiresAtMs).to.be.a('number');
    });
  });

  it('takes the account from a person who signed up under its name, with the keys and targets of alerts of that person', async () => {
    await withNewAccounts(settings, async ({ accounts, store, clock, keys }) => {
      const squatter = await accounts.signUp({ email: 'local@tickmark.invalid', password: 'squatter-12345' }, OPERATOR);
      const second = await keys.issue(squatter.accountId, {}, OPERATOR);
      const webhooks = new WebhookService({ store, clock, allowsPrivate: false, post: () => Promise.reject(new Error('never called')) });
      for (const path of ['a', 'b'])
        await webhooks.add(squatter.accountId, { url: `https://hooks.example.com/${path}`, events: ['forecast.marked'] }, OPERATOR);
      const link = await openLocalLink(settings, URL_OF_SERVICE, true);
      expect((await store.findAccount(squatter.accountId))?.webhooks ?? []).to.deep.equal([]);
      for (const key of [squatter.apiKey, second.apiKey]) expect(await whose(key)).to.equal(undefined);
      expect(await whose(keyOf(link?.url))).to.equal('local@tickmark.invalid');
    });
  });

  it('leaves what is of the person who has opened an earlier one: session, keys for programs and targets of alerts', async () => {
    await openLocalLink(settings, URL_OF_SERVICE, true);
    await withAccounts(settings, async ({ store, clock, keys, find }) => {
      const { id } = await find('local@tickmark.invalid');
      const { token } = await keys.startSession(id, undefined, OPERATOR);
      const program = await keys.issue(id, { name: 'bot' }, OPERATOR);
      const webhooks = new WebhookService({ store, clock, allowsPrivate: false, post: () => Promise.reject(new Error('never called')) });
      await webhooks.add(id, { url: 'https://hooks.example.com/a', events: ['forecast.marked'] }, OPERATOR);
      await openLocalLink(settings, URL_OF_SERVICE, true);
      for (const kept of [token, program.apiKey]) expect(await whose(kept)).to.equal('local@tickmark.invalid');
      expect((await store.findAccount(id))?.webhooks).to.have.length(1);
    });
  });

  it('is not made where others could see or use it, or where it is turned off, and touches no store then', async () => {
    const refused: [Partial<Settings>, boolean][] = [
      [{}, false],
      [{ localKey: 'off' }, true],
      [{ host: '0.0.0.0' }, true],
      [{ host: '127.example.com' }, true],
      [{ trustProxy: true }, true],
      [{ mongodbUri: 'mongodb://127.0.0.1:1/nowhere' }, true],
    ];
    for (const [given, isTerminal] of refused)
      expect(await openLocalLink({ ...settings, ...given }, URL_OF_SERVICE, isTerminal), JSON.stringify(given)).to.equal(undefined);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('is not made where the operator has disabled the account', async () => {
    await openLocalLink(settings, URL_OF_SERVICE, true);
    await withAccounts(settings, async ({ accounts, find }) => accounts.disable((await find('local@tickmark.invalid')).id, OPERATOR));
    expect(await openLocalLink(settings, URL_OF_SERVICE, true)).to.equal(undefined);
  });

  describe('printed by serve', () => {
    const before = { ...process.env };
    const listeners = { SIGINT: process.listeners('SIGINT'), SIGTERM: process.listeners('SIGTERM') };
    beforeEach(() =>
      Object.assign(process.env, { DATA_DIR: folder, PORT: '0', HOST: '127.0.0.1', WORKERS: '1', LOG_LEVEL: 'silent', MONGODB_URI: '' }),
    );
    afterEach(() => {
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
      Object.assign(process.env, before);
      for (const signal of ['SIGINT', 'SIGTERM'] as const)
        for (const listener of process.listeners(signal)) if (!listeners[signal].includes(listener)) process.off(signal, listener);
    });

    async function served(argv: readonly string[], isTerminal: boolean, use: (out: string) => Promise<void>): Promise<string> {
      let [out, err] = ['', ''];
      const ended = run(argv, { out: (text) => void (out += text), err: (text) => void (err += text), isTerminal });
      await until(() => out.includes('\n'));
      await use(out);
      process.emit('SIGTERM');
      expect(await ended, err).to.equal(0);
      return out + err;
    }

    it('once, on a terminal; the key answers while the service runs, and not after it', async () => {
      let key = '';
      const printed = await served(['serve'], true, async (out) => {
        const link = /^http:\/\/127\.0\.0\.1:\d+\/#key=tkm_live_\w{33}$/m.exec(out)?.[0] ?? '';
        key = keyOf(link);
        const answer = await fetch(`${new URL(link).origin}/auth/me`, { headers: { 'Api-Key': key } });
        expect([answer.status, ((await answer.json()) as { email: string }).email]).to.deep.equal([200, 'local@tickmark.invalid']);
      });
      expect(printed.match(/#key=/g)).to.have.length(1);
      expect(await whose(key)).to.equal(undefined);
    });

    it('never into a pipe, and never as JSON', async () => {
      expect(await served(['serve'], false, async () => {}))
        .to.include('is ready on')
        .and.not.include('tkm_live_');
      expect(await served(['serve', '--json'], true, async () => {})).to.not.include('tkm_live_');
    });
  });
});
