import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { PASSWORD, startAccountService, type AccountRig } from '../../support/accountService.ts';
import { cliRun, type CliRun } from '../../support/cliRun.ts';
import { makeStoreLocation, STORE_KINDS, type StoreLocation } from '../../support/eachStore.ts';
import { openNamedStore } from '../../support/openNamedStore.ts';
import { sampleAccount } from '../../support/sampleAccount.ts';
import { ROOT } from '../../support/tickmarkProcess.ts';

type Json = Record<string, unknown> & { keys: { id: string; status: string; prefix: string }[] };

for (const kind of STORE_KINDS)
  describe(`tickmark accounts and keys on a live store: ${kind}`, function () {
    this.timeout(120_000);
    let place: StoreLocation;
    let rig: AccountRig;
    const tickmark = (...argv: string[]): Promise<CliRun> => cliRun(place.env, ...argv);
    async function json(...argv: string[]): Promise<Json> {
      const { out, err } = await tickmark(...argv, '--json');
      expect(err, argv.join(' ')).to.equal('');
      return JSON.parse(out) as Json;
    }

    before(async function () {
      place = await makeStoreLocation(kind, this);
      // A short cache: what the commands do is seen soon.
      rig = await startAccountService(place, { KEY_CACHE_MS: '50', SIGNUP: 'closed' });
    });
    after(async () => {
      await rig?.close();
      await place?.dispose();
    });
    const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60));
    const statusOf = async (key: unknown): Promise<number> => {
      await settle();
      return (await rig.withKey(key, '/auth/me')).status;
    };

    it('makes accounts while sign-up is closed, with a key and a password that work', async () => {
      expect((await rig.signUp('trader@example.com')).status).to.equal(403);
      const made = await json('accounts', 'create', 'Trader@example.com', '--company', 'example-fund', '--generate-password');
      expect(await statusOf(made['apiKey'])).to.equal(200);
      const password = String(made['password']);
      expect((await rig.asOwner('trader@example.com', '/account/keys', { password })).status).to.equal(200);
      const again = await tickmark('accounts', 'create', 'trader@EXAMPLE.com', '--generate-password');
      expect([again.code, again.out]).to.deep.equal([1, '']);
      expect(again.err).to.include('An account with this e-mail exists');
      const wrong = await tickmark('accounts', 'create', 'no-at-sign', '--generate-password');
      expect(wrong.err).to.include('/email');
    });

    it('sets a new password; the old one is refused, and the keys stay', async () => {
      const made = await json('accounts', 'create', 'forgot@example.com', '--generate-password');
      const loginWith = async (password: unknown): Promise<number> =>
        (await rig.asOwner('forgot@example.com', '/account/keys', { password: String(password) })).status;
      expect(await loginWith(made['password'])).to.equal(200);
      const { password } = await json('accounts', 'reset-password', 'forgot@example.com', '--generate-password');
      expect([await loginWith(made['password']), await loginWith(password), await statusOf(made['apiKey'])]).to.deep.equal([401, 200, 200]);
      const unknown = await tickmark('accounts', 'reset-password', 'unknown@example.com', '--generate-password');
      expect([unknown.code, unknown.out]).to.deep.equal([1, '']);
      await json('accounts', 'delete', 'forgot@example.com', '--yes');
    });

    it('reads the password from standard input', async () => {
      const args = [path.join(ROOT, 'bin/tickmark.js'), 'accounts', 'create', 'piped@example.com', '--json'];
      const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...process.env, MONGODB_URI: '', ...place.env } });
      let [out, err] = ['', ''];
      child.stdout.on('data', (chunk) => (out += chunk));
      child.stderr.on('data', (chunk) => (err += chunk));
      child.stdin.end(`${PASSWORD}\nmore`);
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect([code, err.replace(/^tickmark: built dist in .*\n/, '')]).to.deep.equal([0, '']);
      expect(out).to.not.include(PASSWORD);
      expect((await rig.asOwner('piped@example.com', '/account/keys')).status).to.equal(200);
    });

    it('lists accounts, of one company too, and shows one with its events, without secrets', async () => {
      const all = await tickmark('accounts', 'list');
      expect(all.out.split('\n').map((line) => line.split(' ')[0])).to.deep.equal(['piped@example.com', 'Trader@example.com', '']);
      const some = await json('accounts', 'list', '--company', 'example-fund');
      expect((some['accounts'] as Json[]).map(({ email }) => email)).to.deep.equal(['Trader@example.com']);
      expect((await tickmark('accounts', 'list', '--limit', '1')).err).to.include('more than 1');
      const shown = await tickmark('accounts', 'show', 'trader@example.com');
      expect(shown.out).to.include('account.created').and.include('by operator').and.include('tkm_live_');
      expect((await json('accounts', 'show', String((await json('accounts', 'show', 'trader@example.com'))['id'])))['email']).to.equal(
        'Trader@example.com',
      );
      for (const { out } of [all, shown, await tickmark('accounts', 'show', 'trader@example.com', '--json')])
        expect(out)
          .to.not.include('argon2')
          .and.not.match(/[0-9a-f]{64}/);
      expect(await tickmark('accounts', 'show', 'unknown@example.com')).to.deep.include({ code: 1, out: '' });
    });

    it('shows what others typed on one line, without control characters', async () => {
      const store = await openNamedStore(kind, place.place);
      const { accounts } = (await json('accounts', 'list')) as unknown as { accounts: { id: string }[] };
      await store.changeAccount(accounts[0]?.id ?? '', (account) => ({ account: { ...account, companyId: 'a\nb\u001b[31m\u202ec' } }));
      await store.close();
      expect((await tickmark('accounts', 'list')).out).to.include('a\\u000ab\\u001b[31m\\u202ec');
    });

    it('issues, lists and revokes keys, seen by the running service', async () => {
      const issued = await json('keys', 'issue', 'trader@example.com', '--name', 'backtest', '--expires', '90d');
      expect(issued).to.include({ name: 'backtest', status: 'active' });
      expect(await statusOf(issued['apiKey'])).to.equal(200);
      expect((await tickmark('keys', 'list', 'trader@example.com')).out).to.match(/backtest, issued .*, expires /);
      const revoked = await tickmark('keys', 'revoke', String(issued['id']));
      expect([revoked.code, revoked.out]).to.deep.equal([0, `${String(issued['prefix'])}… of Trader@example.com is revoked.\n`]);
      expect(await statusOf(issued['apiKey'])).to.equal(401);
      expect((await json('keys', 'list', 'trader@example.com')).keys.map(({ status }) => status)).to.deep.equal(['active', 'revoked']);
      expect((await tickmark('keys', 'revoke', 'none')).err).to.include('There is no key "none"');
      expect((await tickmark('keys', 'issue', 'trader@example.com', '--expires', 'soon')).code).to.equal(2);
    });

    it('disables and enables', async () => {
      const { apiKey } = await json('accounts', 'create', 'stop@example.com', '--generate-password');
      expect(await statusOf(apiKey)).to.equal(200);
      expect((await tickmark('accounts', 'disable', 'STOP@example.com')).out).to.equal('stop@example.com is disabled.\n');
      expect(await statusOf(apiKey)).to.equal(401);
      expect((await tickmark('accounts', 'list')).out).to.include('DISABLED since');
      await tickmark('accounts', 'enable', 'stop@example.com');
      expect(await statusOf(apiKey)).to.equal(200);
    });

    it('deletes only with --yes; the audit log stays, by id', async () => {
      const { id, apiKey } = await json('accounts', 'create', 'gone@example.com', '--generate-password');
      const asked = await tickmark('accounts', 'delete', 'gone@example.com');
      expect([asked.code, asked.out.includes('--yes')]).to.deep.equal([1, true]);
      expect(await statusOf(apiKey)).to.equal(200);
      expect((await tickmark('accounts', 'delete', 'gone@example.com', '--yes')).code).to.equal(0);
      expect(await statusOf(apiKey)).to.equal(401);
      const events = await json('accounts', 'events', String(id));
      expect((events['events'] as { action: string }[]).map(({ action }) => action)).to.deep.equal(['account.deleted', 'account.created']);
      expect((await json('accounts', 'events', '--since', '1h'))['events']).to.have.length.above(4);
    });

    it('has examples in the help of every group', async () => {
      for (const argv of [['accounts'], ['accounts', 'create'], ['accounts', 'import'], ['keys'], ['backup'], ['restore']])
        expect((await tickmark(...argv, '--help')).out).to.include('Examples:');
    });
  });

describe('moving accounts between stores', function () {
  this.timeout(120_000);
  const places: StoreLocation[] = [];
  const opened: AccountRig[] = [];
  afterEach(async () => {
    for (const rig of opened.splice(0)) await rig.close();
    for (const place of places.splice(0)) await place.dispose();
  });

  for (const [from, to] of [
    ['sqlite', 'mongodb'],
    ['mongodb', 'sqlite'],
  ] as const)
    it(`from ${from} to ${to}: keys, passwords, states and the audit log are the same there`, async function () {
      const [source, target] = [await makeStoreLocation(from, this), await makeStoreLocation(to, this)];
      places.push(source, target);
      const rig = await startAccountService(source);
      opened.push(rig);
      const keys: unknown[] = [];
      for (let i = 0; i < 3; i++) keys.push((await rig.signUp(`Mover${i}@Exämple.com`)).json['api_key']);
      const rotated = await rig.withKey(keys[0], '/auth/keys/rotate', { method: 'POST' });
      await cliRun(source.env, 'accounts', 'disable', 'mover2@exämple.com');
      const file = path.join(source.env['DATA_DIR'] ?? '', 'accounts.ndjson');
      const exported = await cliRun(source.env, 'accounts', 'export', file);
      expect([exported.code, exported.err]).to.deep.equal([0, '']);
      expect(statSync(file).mode & 0o777, 'for its owner alone').to.equal(0o600);
      expect((await cliRun(source.env, 'accounts', 'export', file)).err).to.include('EEXIST');

      const imported = await cliRun(target.env, 'accounts', 'import', file, '--json');
      expect(imported.err).to.equal('');
      expect(JSON.parse(imported.out)).to.include({ created: 3, unchanged: 0, skipped: 0 });
      const again = await cliRun(target.env, 'accounts', 'import', file, '--json');
      expect(JSON.parse(again.out)).to.include({ created: 0, unchanged: 3, skipped: 0 });

      const there = await startAccountService(target);
      opened.push(there);
      for (const key of [keys[0], keys[1], rotated.json['api_key']]) expect((await there.withKey(key, '/auth/me')).status).to.equal(200);
      expect((await there.withKey(keys[2], '/auth/me')).status, 'disabled').to.equal(401);
      expect((await there.asOwner('MOVER1@exämple.com', '/account/keys')).status).to.equal(200);
      const eventsOf = async (place: StoreLocation): Promise<string[]> => {
        const { out } = await cliRun(place.env, 'accounts', 'events', '--json', '--limit', '1000');
        return (JSON.parse(out) as { events: { id: string; action: string }[] }).events
          .filter(({ action }) => action !== 'account.imported')
          .map(({ id }) => id);
      };
      expect(await eventsOf(target)).to.include.members(await eventsOf(source));

      await there.asOwner('mover1@exämple.com', '/account/keys', { body: {} });
      const conflict = await cliRun(target.env, 'accounts', 'import', file);
      expect([conflict.code, conflict.err.includes('different data: Mover1@Exämple.com.')]).to.deep.equal([1, true]);
      const skipped = await cliRun(target.env, 'accounts', 'import', file, '--skip-existing', '--json');
      expect(JSON.parse(skipped.out)).to.include({ created: 0, unchanged: 2, skipped: 1 });
    });

  it('moves an account whose e-mail an earlier version compared in another form: the owner and the operator find it', async function () {
    const [source, target] = [await makeStoreLocation('sqlite', this), await makeStoreLocation('mongodb', this)];
    places.push(source, target);
    const store = await openNamedStore('sqlite', source.place);
    await store.createAccount(sampleAccount('old', { email: 'old@xn--bcher-kva.example', emailKey: 'old@xn--bcher-kva.example' }));
    await store.close();
    const file = path.join(source.place, 'accounts.ndjson');
    await cliRun(source.env, 'accounts', 'export', file);
    const imported = await cliRun(target.env, 'accounts', 'import', file, '--json');
    expect(JSON.parse(imported.out)).to.include({ created: 1 });
    for (const email of ['old@bücher.example', 'OLD@xn--bcher-kva.example'])
      expect((await cliRun(target.env, 'accounts', 'show', email)).code, email).to.equal(0);
  });

  it('refuses a file that is not whole or not ours, and writes nothing', async function () {
    const [source, target] = [await makeStoreLocation('sqlite', this), await makeStoreLocation('sqlite', this)];
    places.push(source, target);
    for (const email of ['a@example.com', 'b@example.com']) await cliRun(source.env, 'accounts', 'create', email, '--generate-password');
    const good = path.join(source.place, 'good.ndjson');
    await cliRun(source.env, 'accounts', 'export', good);
    const text = readFileSync(good, 'utf8');
    const file = path.join(source.place, 'bad.ndjson');
    const [header = '', first = '', second = ''] = text.split('\n');
    const cases: [what: string, write: () => void, why: RegExp][] = [
      ['cut short', () => truncateSync(file, text.length - 10), /in the middle of a line/],
      ['without its end', () => writeFileSync(file, text.slice(0, text.lastIndexOf('{"type":"end"'))), /its last line is missing/],
      ['one byte changed', () => writeFileSync(file, text.replace('"companyId":null', '"companyId":"x"')), /SHA-256 differs/],
      ['a line taken out', () => writeFileSync(file, text.replace(`${second}\n`, '')), /SHA-256 differs/],
      ['something after the end', () => appendFileSync(file, `${first}\n`), /is after the end/],
      ['without a header', () => writeFileSync(file, text.replace(`${header}\n`, '')), /line 1: the header must be the first line/],
      ['of a newer format', () => writeFileSync(file, text.replace(/accounts\/\d+/, 'accounts/99')), /line 1: \/format/],
      ['binary', () => writeFileSync(file, Buffer.from([0, 255, 10])), /line 1: it is not JSON/],
      ['one endless line', () => writeFileSync(file, 'x'.repeat(1_500_000)), /more than 1000000 bytes/],
      ['with a field of its own', () => writeFileSync(file, text.replace('"companyId"', '"admin":true,"companyId"')), /line 2: \/account/],
      ['with another e-mail', () => writeFileSync(file, text.replace('"email":"a@', '"email":"z@')), /normalised form/],
      [
        'with a password in the clear',
        () => writeFileSync(file, text.replace(/"passwordHash":"[^"]+"/, '"passwordHash":"hunter22"')),
        /line 2: \/account\/passwordHash/,
      ],
    ];
    for (const [what, write, why] of cases) {
      writeFileSync(file, text);
      write();
      const { code, out, err } = await cliRun(target.env, 'accounts', 'import', file);
      expect([code, out], what).to.deep.equal([1, '']);
      expect(err, what).to.match(why);
      expect(err, what).to.not.include('hunter22').and.not.include('argon2id$v');
    }
    expect((await cliRun(target.env, 'accounts', 'import', path.join(source.place, 'none'))).err).to.include('cannot be read');
    expect((await cliRun(target.env, 'accounts', 'list')).err).to.include('tickmark.sqlite is missing');
    await (await openNamedStore('sqlite', target.place)).close();
    expect((await cliRun(target.env, 'accounts', 'list')).out).to.equal('No account.\n');
  });

  it('refuses a folder without a store where it adds no account, says what to set, and leaves nothing there', async function () {
    const nowhere = await makeStoreLocation('sqlite', this);
    places.push(nowhere);
    const commands = [
      ['accounts', 'list'],
      ['accounts', 'disable', 'a@example.com'],
      ['keys', 'list', 'a@example.com'],
      ['backup', path.join(nowhere.place, 'backup')],
      ['migrate'],
    ];
    for (const argv of commands) {
      const { code, out, err } = await cliRun(nowhere.env, ...argv);
      expect([code, out], argv.join(' ')).to.deep.equal([1, '']);
      expect(err, argv.join(' ')).to.include('tickmark.sqlite is missing. Set DATA_DIR (or MONGODB_URI) as the service has it.');
    }
    expect(existsSync(nowhere.place) ? readdirSync(nowhere.place) : []).to.deep.equal([]);
  });
});
