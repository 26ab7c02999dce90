import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import type { Migration } from '../../../../src/service/accounts/AccountStore.ts';
import { AccountService } from '../../../../src/service/accounts/AccountService.ts';
import { digestOfKey, displayPrefix } from '../../../../src/service/accounts/accountKeys.ts';
import { Argon2Hasher } from '../../../../src/service/accounts/Argon2Hasher.ts';
import { KeyAuthenticator } from '../../../../src/service/accounts/KeyAuthenticator.ts';
import { openSqliteStore, sqliteStore } from '../../../../src/service/accounts/openSqliteStore.ts';
import { APPLICATION_ID, MIGRATIONS } from '../../../../src/service/accounts/sqliteSchema.ts';
import { SqliteDatabase } from '../../../../src/service/accounts/SqliteDatabase.ts';
import { systemClock } from '../../../../src/core/Clock.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { serviceErrorOf } from '../../../support/serviceErrorOf.ts';
import { sampleAccount, sampleDigest, sampleEvent, sampleRecord } from '../../../support/sampleAccount.ts';

describe('openSqliteStore', () => {
  let parent: string;
  let folder: string;
  let file: string;

  beforeEach(() => {
    parent = mkdtempSync(path.join(tmpdir(), 'tickmark-sqlite-'));
    folder = path.join(parent, 'deep', 'data');
    file = path.join(folder, 'tickmark.sqlite');
  });
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  /** A closed store with 20 accounts. */
  async function makeStore(): Promise<void> {
    const store = openSqliteStore(folder);
    for (let i = 0; i < 20; i++) {
      const account = sampleAccount(`a${i}`, { companyId: 'c'.repeat(500) });
      await store.createAccount(account);
    }
    await store.close();
  }

  function edit(sql: string): void {
    const database = new Database(file);
    database.exec(sql);
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
    database.close();
  }

  function refusalOf(open: () => unknown): ServiceError {
    try {
      open();
    } catch (error) {
      expect(error).to.be.instanceOf(ServiceError);
      expect((error as ServiceError).code).to.equal('store.refused');
      expect((error as ServiceError).message).to.include(file);
      return error as ServiceError;
    }
    return expect.fail('the store opened');
  }

  /** Opening is refused with all of `words`, and the file is unchanged byte for byte. */
  function expectRefused(...words: string[]): void {
    const before = readFileSync(file);
    const { message } = refusalOf(() => openSqliteStore(folder));
    for (const word of words) expect(message).to.include(word);
    expect(readFileSync(file).equals(before), 'the file is unchanged').to.equal(true);
  }

  it('waits for another process that writes to a store without a log', async () => {
    await makeStore();
    const copied = path.join(parent, 'copied');
    mkdirSync(copied);
    const copy = path.join(copied, 'tickmark.sqlite');
    const database = new Database(file);
    database.prepare('VACUUM INTO ?').run(copy);
    database.close();
    const writes = `
      const store = new (require('libsql'))(process.argv[1]);
      store.prepare('PRAGMA busy_timeout = 60000').all();
      store.exec("BEGIN IMMEDIATE; UPDATE accounts SET company_id = 'x'");
      console.log('written');
      setTimeout(() => { store.exec('COMMIT'); store.close(); }, 300);`;
    const child = spawn(process.execPath, ['-e', writes, copy], { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'close');
    await once(child.stdout, 'data');
    const store = openSqliteStore(copied, { waitMs: 60_000 });
    expect((await store.findAccount('a0'))?.companyId).to.equal('x');
    await store.close();
    expect(await ended).to.deep.equal([0, null]);
  });

  it('keeps rows of the track record that a program without bins and ranges has written', async () => {
    await makeStore();
    const store = openSqliteStore(folder);
    const bins = [{ tenth: 3, outcomes: 1, moved: 0, probabilitySum: 0.375 }];
    const coverage = [{ level: 0.9, outcomes: 1, covered: 1, overlapSum: 2 }];
    await store.addRecords([sampleRecord('a0', { tally: { outcomes: 1, bins, coverage } })], '1');
    await store.close();
    // It does not name the columns.
    edit(
      `INSERT INTO track_record (account_id, day, series, model, bucket, own_threshold, forecasts, outcomes, unscored, marks, hits, moved,
         brier_sum, baseline_brier_sum, squared_difference_sum)
       VALUES ('a0', '2026-11-23', 'eurusd', 'base-1', 'h3m', 0, 1, 1, 0, 0, 0, 0, 0.5, 0.5, 0), ('a0', '2026-11-24', 'eurusd', 'base-1', 'h3m', 0, 1, 1, 0, 0, 0, 0, 0.5, 0.5, 0)
       ON CONFLICT DO UPDATE SET outcomes = outcomes + excluded.outcomes`,
    );
    const again = openSqliteStore(folder);
    const rows = await again.listRecords({ accountId: 'a0', limit: 10 });
    expect(rows.map(({ tally }) => [tally.outcomes, tally.bins, tally.coverage])).to.deep.equal([
      [2, bins, coverage],
      [1, undefined, undefined],
    ]);
    await again.close();
  });

  it('creates folder and files that only the owner can read, whatever the umask', async () => {
    const umask = process.umask(0);
    try {
      const store = openSqliteStore(folder);
      const account = sampleAccount('a');
      await store.createAccount(account);
      expect(statSync(folder).mode & 0o777).to.equal(0o700);
      for (const name of readdirSync(folder)) expect(statSync(path.join(folder, name)).mode & 0o777, name).to.equal(0o600);
      await store.close();
    } finally {
      process.umask(umask);
    }
  });

  it('has its content after a restart, in the one file', async () => {
    await makeStore();
    for (const name of readdirSync(folder)) if (name !== 'tickmark.sqlite') rmSync(path.join(folder, name));
    const store = openSqliteStore(folder);
    const account = sampleAccount('a19', { companyId: 'c'.repeat(500) });
    expect(await store.findAccount('a19')).to.deep.equal(account);
    expect(await store.findAccountByDigest(sampleDigest('a19'))).to.deep.equal(account);
    await store.close();
  });

  it('syncs at every commit, so that acknowledged changes survive a power failure', () => {
    const statements: string[] = [];
    const { exec } = Database.prototype;
    Database.prototype.exec = function (sql) {
      statements.push(sql);
      return exec.call(this, sql);
    };
    try {
      void openSqliteStore(folder).close();
    } finally {
      Database.prototype.exec = exec;
    }
    expect(statements.join(';')).to.match(/PRAGMA synchronous = FULL/);
  });

  it('refuses what a copy that failed leaves, and opens no empty store in its place (row 91)', async () => {
    await makeStore();
    const { size } = statSync(file);
    const whole = readFileSync(file);
    for (const length of [0, 1, 15, 16, 99, 100, 511, 512, 4095, 4096, 8192, Math.floor(size / 2), size - 4096, size - 1]) {
      writeFileSync(file, whole.subarray(0, length));
      expectRefused(
        ...(length < 512
          ? [`has only ${length} byte`, 'Copy the file again, or restore a backup']
          : ['is damaged', 'restore the file from a backup']),
      );
    }
    writeFileSync(file, Buffer.alloc(size));
    expectRefused('restore');
    rmSync(file);
    writeFileSync(`${file}-wal`, 'changes');
    expect(refusalOf(() => openSqliteStore(folder)).message).to.include('is missing, and its write-ahead log is here');
    expect(readdirSync(folder)).to.not.include('tickmark.sqlite');
  });

  it('refuses a missing unique index and says how to create it', async () => {
    await makeStore();
    for (const [index, table, column] of [
      ['accounts_by_email_key', 'accounts', 'email_key'],
      ['api_keys_by_digest', 'api_keys', 'digest'],
    ]) {
      const remedy = `CREATE UNIQUE INDEX ${index} ON ${table} (${column})`;
      edit(`DROP INDEX ${index}`);
      expectRefused('lacks the unique index', `${table}.${column}`, remedy);
      edit(`CREATE INDEX ${index} ON ${table} (${column})`);
      expectRefused('lacks the unique index');
      edit(`DROP INDEX ${index}; CREATE UNIQUE INDEX ${index} ON ${table} (${column}) WHERE id > 'a'`);
      expectRefused('lacks the unique index');
      edit(`DROP INDEX ${index}; ${remedy}`);
      await openSqliteStore(folder).close();
    }
  });

  const spoiled: [what: string, spoil: () => void, words: string[]][] = [
    ['an empty database without the mark of a store', () => { rmSync(file); edit('CREATE TABLE t (x); DROP TABLE t'); }, ['belongs to another program']],
    ['a file that is not a database', () => writeFileSync(file, 'my notes, not a database\n'.repeat(400)), ['damaged', 'restore the file from a backup']],
    ['a damaged page', () => writeFileSync(file, readFileSync(file).fill(0xff, 4096, 12288)), ['damaged', 'restore the file from a backup']],
    ['a store without a column', () => edit('ALTER TABLE api_keys DROP COLUMN name'), ['lacks name in table api_keys', 'backup']],
    ['a store without a table', () => edit('DROP TABLE api_keys'), ['in table api_keys']],
    ['a newer schema', () => edit('PRAGMA user_version = 99'), ['schema version 99', 'newer tickmark']],
    ['the file of another program', () => edit('PRAGMA application_id = 0'), ['another program', 'DATA_DIR']],
  ]; // prettier-ignore
  for (const [what, spoil, words] of spoiled)
    it(`refuses ${what}`, async () => {
      await makeStore();
      spoil();
      expectRefused(...words);
    });

  it('refuses a folder that cannot hold it', () => {
    writeFileSync(path.join(parent, 'deep'), 'a file');
    expect(refusalOf(() => openSqliteStore(folder)).message).to.include('DATA_DIR');
    rmSync(path.join(parent, 'deep'));
    mkdirSync(file, { recursive: true });
    expect(refusalOf(() => openSqliteStore(folder)).message).to.include('not a file');
  });

  // Node.js itself never returns from `mkdirSync` with `recursive` here.
  it('refuses a folder that the system does not create', () => {
    expect(() => openSqliteStore('/proc/tickmark/data'))
      .to.throw(ServiceError, 'DATA_DIR')
      .with.property('code', 'store.refused');
  });

  it('throws store.unavailable while another process holds the lock, keeps reading, and recovers', async () => {
    const store = openSqliteStore(folder, { waitMs: 10 });
    const first = sampleAccount('a');
    await store.createAccount(first);
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    const account = sampleAccount('b');
    const failure = (await store.createAccount(account).catch((error: unknown) => error)) as ServiceError;
    expect(failure.code).to.equal('store.unavailable');
    expect((failure.cause as { code: string }).code).to.equal('SQLITE_BUSY');
    expect(failure.message).to.not.include(file);
    expect(await store.findAccountByDigest(sampleDigest('a'))).to.deep.equal(first);
    other.exec('ROLLBACK');
    other.close();
    expect(await store.createAccount(account)).to.equal('created');
    await store.close();
  });

  it('throws store.unavailable on a full disk, keeps whole accounts and no partial one', async () => {
    await makeStore();
    const database = new Database(file);
    const [{ page_count: pages } = { page_count: 0 }] = database.prepare('PRAGMA page_count').all() as { page_count: number }[];
    database.prepare(`PRAGMA max_page_count = ${pages + 2}`).all();
    const store = sqliteStore(new SqliteDatabase(database, { clock: systemClock, waitMs: 10 }));
    let created = 0;
    let failure: unknown;
    while (failure === undefined && created < 1000) {
      const account = sampleAccount(`full${created}`, { companyId: 'c'.repeat(500) });
      await store.createAccount(account).then(
        () => created++,
        (error: unknown) => (failure = error),
      );
    }
    expect((failure as ServiceError).code).to.equal('store.unavailable');
    expect(((failure as ServiceError).cause as { code: string }).code).to.equal('SQLITE_FULL');
    expect(await store.findAccount(`full${created}`)).to.equal(undefined);
    expect(await store.findAccount(`full${created - 1}`)).to.not.equal(undefined);
    await store.close();
  });

  for (const [what, spoil, undo] of [
    ['is deleted', () => rmSync(file), undefined],
    ['loses its log', () => rmSync(`${file}-wal`), undefined],
    ['is emptied', () => truncateSync(file, 0), undefined],
    ['is cut short', () => truncateSync(file, 8192), undefined],
    ['is moved', () => renameSync(file, `${file}.away`), () => renameSync(`${file}.away`, file)],
    ['loses its folder', () => renameSync(folder, `${folder}.away`), () => renameSync(`${folder}.away`, folder)],
    [
      'is replaced by a copy',
      () => {
        copyFileSync(file, `${file}.copy`);
        renameSync(`${file}.copy`, file);
      },
      undefined,
    ],
  ] as const)
    it(`accepts nothing once the open file ${what}, and says what to do`, async () => {
      await makeStore();
      const store = openSqliteStore(folder);
      await store.createAccount(sampleAccount('before'));
      spoil();
      for (const call of [() => store.createAccount(sampleAccount('lost')), () => store.findAccount('before'), () => store.ping()]) {
        const error = await serviceErrorOf(call());
        expect(error.code).to.equal('store.unavailable');
        expect(String(error.cause)).to.include(file).and.include('tickmark restore');
        expect(error.message).to.not.include(folder);
      }
      if (undo !== undefined) {
        undo();
        expect(await store.createAccount(sampleAccount('after'))).to.equal('created');
        expect(await store.findAccount('lost')).to.equal(undefined);
      }
      await store.close();
    });

  it('stores no key and no password: only the digest and the display prefix', async () => {
    const clock = new FakeClock();
    const store = openSqliteStore(folder);
    const hasher = new Argon2Hasher({ memoryKib: 19456, passes: 2, concurrency: 2, queue: 4 }, clock);
    const service = new AccountService({ store, hasher, clock, isSignUpOpen: true });
    const password = 'correct horse battery 42';
    const { apiKey } = await service.signUp({ email: 'trader@example.com', password }, { actor: 'owner', requestId: null });
    await service.signUp({ email: 'trader@example.com', password }, { actor: 'owner', requestId: null }).catch(() => undefined);
    expect(await new KeyAuthenticator({ store, clock }).authenticate(apiKey)).to.not.equal(undefined);
    const dump = (): string =>
      readdirSync(folder)
        .map((name) => readFileSync(path.join(folder, name), 'latin1'))
        .join();
    for (const text of [dump(), await store.close().then(dump)]) {
      expect(text).to.include(digestOfKey(apiKey));
      expect(text).to.include(displayPrefix(apiKey));
      expect(text).to.include('$argon2id$');
      expect(text).to.not.include(apiKey.slice(0, 14));
      expect(text).to.not.include(apiKey.slice(13));
      expect(text).to.not.include('horse');
    }
  });

  it('refuses to change a line of the audit log', async () => {
    const store = openSqliteStore(folder);
    await store.appendEvent(sampleEvent('1', 'a'));
    await store.close();
    expect(() => edit("UPDATE audit_log SET actor = 'operator'")).to.throw(/append-only/);
  });

  it('migrates a file of the first schema, with its accounts, only if asked to, and after a copy', async () => {
    mkdirSync(folder, { recursive: true });
    const database = new Database(file);
    database.exec(MIGRATIONS[0] ?? '');
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 1;
      INSERT INTO accounts VALUES ('a', 'a@Example.com', 'a@example.com', NULL, '${sampleAccount('a').passwordHash}', ${sampleAccount('a').createdAtMs});
      INSERT INTO api_keys VALUES ('key-of-a', 'a', '${sampleDigest('a')}', 'tkm_live_AbCd', NULL, ${sampleAccount('a').createdAtMs}, NULL, NULL)`);
    database.close();
    expectRefused('has schema version 1', '`tickmark migrate`');
    // A copy that cannot be written leaves the store as it was.
    const copy = `${file}.schema-1`;
    mkdirSync(copy);
    const migrations: Migration[] = [];
    const migrating = { onMigration: (migration: Migration) => void migrations.push(migration) };
    expect(refusalOf(() => openSqliteStore(folder, migrating)).message).to.include(copy);
    rmdirSync(copy);
    expectRefused('has schema version 1');
    expect(readdirSync(folder).filter((name) => name.includes('schema'))).to.deep.equal([]);
    const store = openSqliteStore(folder, migrating);
    expect(await store.findAccountByDigest(sampleDigest('a'))).to.deep.equal(sampleAccount('a'));
    await store.close();
    expect(migrations).to.deep.equal([{ from: 1, to: MIGRATIONS.length, copy }]);
    expect(statSync(copy).mode & 0o777).to.equal(0o600);
    // The copy is a store of the first schema again.
    copyFileSync(copy, file);
    expectRefused('has schema version 1');
  });
});
