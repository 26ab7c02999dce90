import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { readSettings, type Settings } from '../../../src/core/config/settings.ts';
import { silentLogger } from '../../../src/core/Logger.ts';
import { openSqliteStore } from '../../../src/service/accounts/openSqliteStore.ts';
import { noteServedStore } from '../../../src/service/app/servedStore.ts';
import { startAccountService } from '../../support/accountService.ts';
import { cliRun } from '../../support/cliRun.ts';
import { makeStoreLocation, STORE_KINDS } from '../../support/eachStore.ts';
import { sampleAccount } from '../../support/sampleAccount.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { accountLine, HEADER, transferText } from '../../support/transferFile.ts';
import { walkTicks } from '../../support/walkTicks.ts';
import { writeTicks } from '../../support/writeTicks.ts';

const EMAIL = 'a@example.com';
/** Every command that opens the account store, but serve. FILE and FOLDER are what export and backup have written, TICKS is a file of ticks. */
const COMMANDS = [
  ['accounts', 'list'],
  ['accounts', 'show', EMAIL],
  ['accounts', 'events'],
  ['accounts', 'create', 'new@example.com', '--generate-password'],
  ['accounts', 'reset-password', EMAIL, '--generate-password'],
  ['accounts', 'disable', EMAIL],
  ['accounts', 'enable', EMAIL],
  ['accounts', 'delete', EMAIL, '--yes'],
  ['accounts', 'export', 'NEW'],
  ['accounts', 'import', 'FILE'],
  ['keys', 'list', EMAIL],
  ['keys', 'issue', EMAIL],
  ['keys', 'revoke', 'key-of-a'],
  ['track-record', EMAIL],
  ['learn', 'TICKS', '--series', 'taught', '--account', EMAIL],
  ['backup', 'NEW'],
  ['restore', 'FOLDER'],
  ['migrate'],
];

describe('a command with the settings of another store than that of the service', function () {
  this.timeout(60_000);
  const root = temporaryFolder();
  const data = path.join(root, 'data');
  const env = (): Record<string, string> => ({ DATA_DIR: data, MODELS_DIR: path.join(data, 'models') });
  const place = (argv: readonly string[]): string[] =>
    argv.map(
      (word) =>
        ({
          NEW: path.join(root, 'new'),
          FILE: path.join(root, 'file'),
          FOLDER: path.join(root, 'folder'),
          TICKS: path.join(root, 'ticks.csv'),
        })[word] ?? word,
    );
  const serve = (over: Partial<Settings>): void => noteServedStore({ ...readSettings({ DATA_DIR: data }), ...over }, silentLogger);

  before(async () => {
    const store = openSqliteStore(data);
    await store.createAccount(sampleAccount('a'));
    await store.close();
    writeTicks(path.join(root, 'ticks.csv'), walkTicks({ seed: 1, count: 400 }));
    writeFileSync(path.join(root, 'file'), transferText([HEADER, accountLine('b')]));
    expect((await cliRun(env(), 'backup', path.join(root, 'folder'))).code).to.equal(0);
    serve({ mongodbUri: 'mongodb://user:secret@db.example.com:27017/desk' });
  });

  for (const argv of COMMANDS)
    it(`is refused, and changes nothing: ${argv.join(' ')}`, async () => {
      const before = readFileSync(path.join(data, 'tickmark.sqlite'));
      const { code, out, err } = await cliRun(env(), ...place(argv));
      expect([code, out]).to.deep.equal([1, '']);
      expect(err)
        .to.include('keeps its accounts in the MongoDB database desk on db.example.com:27017')
        .and.include(`this command would use ${path.join(data, 'tickmark.sqlite')}`)
        .and.not.include('secret');
      expect(readFileSync(path.join(data, 'tickmark.sqlite')).equals(before)).to.equal(true);
      expect(existsSync(path.join(root, 'new'))).to.equal(false);
    });

  it('names every command that opens a store', () => {
    const sources = readdirSync('src/cli', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const opening = sources.filter((name) => /withAccounts|withNewAccounts/.test(readFileSync(path.join('src/cli', name), 'utf8'))).sort();
    expect(opening).to.deep.equal(
      ['accounts/accounts.ts', 'accounts/keys.ts', 'accounts/trackRecord.ts', 'backup.ts', 'forecast/learn.ts', 'migrate.ts', 'serve/localLink.ts'],
    ); // prettier-ignore
  });

  it('works if it says that it fills another store, and a service that starts on it is followed', async () => {
    const copy = path.join(root, 'copy');
    mkdirSync(copy);
    for (const argv of [
      ['accounts', 'import', 'FILE'],
      ['restore', 'FOLDER'],
    ]) {
      const { code, err } = await cliRun(env(), ...place(argv), '--other-store');
      expect([code, err], argv.join(' ')).to.deep.equal([0, '']);
    }
    serve({ mongodbUri: '' });
    expect((await cliRun(env(), 'accounts', 'list')).out).to.include('b@Example.com');
  });

  for (const kind of STORE_KINDS)
    it(`is refused after a start of the service: ${kind}`, async function () {
      const location = await makeStoreLocation(kind, this);
      const rig = await startAccountService(location);
      await rig.close();
      try {
        const own = await cliRun(location.env, 'accounts', 'list');
        expect([own.code, own.err]).to.deep.equal([0, '']);
        const { MONGODB_URI: uri, ...rest } = location.env;
        const other = await cliRun(uri === undefined ? { ...rest, MONGODB_URI: 'mongodb://other.example.com/desk' } : rest, 'accounts', 'list'); // prettier-ignore
        expect(other.err).to.match(kind === 'sqlite' ? /in the file tickmark\.sqlite; this command would use the MongoDB database desk on other/ : /in the MongoDB database tickmark_test\S+ on /); // prettier-ignore
        const made = path.join(root, `backup-${kind}`);
        expect((await cliRun(location.env, 'backup', made)).out).to.match(
          kind === 'sqlite' ? /of \S+tickmark\.sqlite, / : /of the MongoDB database tickmark_test/,
        );
        expect((await cliRun(location.env, 'backup', '--verify', made)).out).to.match(
          /: whole, of (the MongoDB database \S+ on \S+|\S+\.sqlite), 20/,
        );
        expect((await cliRun(location.env, 'accounts', 'events')).out).to.include('backup.made');
      } finally {
        await location.dispose();
      }
    });
});
