import { existsSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import Database from 'libsql';
import { MongoClient } from 'mongodb';
import { APPLICATION_ID, MIGRATIONS } from '../../../src/service/accounts/sqliteSchema.ts';
import { cliRun } from '../../support/cliRun.ts';
import { makeStoreLocation } from '../../support/eachStore.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

describe('tickmark migrate', () => {
  let folder: string;
  let file: string;
  const tickmark = (...argv: string[]) => cliRun({ MONGODB_URI: '', DATA_DIR: folder }, ...argv);

  beforeEach(() => {
    folder = temporaryFolder();
    file = path.join(folder, 'tickmark.sqlite');
    const database = new Database(file);
    database.exec(`${MIGRATIONS[0]}; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 1;
      INSERT INTO accounts VALUES ('a', 'a@example.com', 'a@example.com', NULL, 'no hash', 1)`);
    database.close();
  });

  it('is the only command that migrates a store; all others refuse it and say which version it has and what to run', async () => {
    const before = readFileSync(file);
    const target = path.join(folder, 'new');
    for (const argv of [
      ['accounts', 'list'],
      ['accounts', 'show', 'a@example.com'],
      ['accounts', 'events'],
      ['accounts', 'create', 'b@example.com', '--generate-password'],
      ['accounts', 'reset-password', 'a@example.com', '--generate-password'],
      ['accounts', 'disable', 'a@example.com'],
      ['accounts', 'delete', 'a@example.com', '--yes'],
      ['accounts', 'export', target],
      ['keys', 'list', 'a@example.com'],
      ['keys', 'issue', 'a@example.com'],
      ['keys', 'revoke', 'k'],
      ['track-record', 'a@example.com'],
      ['backup', target],
    ]) {
      const { code, out, err } = await tickmark(...argv);
      expect([code, out], argv.join(' ')).to.deep.equal([1, '']);
      expect(err, argv.join(' ')).to.include(`${file} has schema version 1; this tickmark uses ${MIGRATIONS.length}`);
      expect(err, argv.join(' ')).to.include('`tickmark migrate`').and.include('`tickmark serve`');
      expect([readFileSync(file).equals(before), existsSync(target)], argv.join(' ')).to.deep.equal([true, false]);
    }

    const { code, out } = await tickmark('migrate', '--json');
    const copy = `${file}.schema-1`;
    expect([code, JSON.parse(out)]).to.deep.equal([0, { migration: { from: 1, to: MIGRATIONS.length, copy } }]);
    expect(existsSync(copy)).to.equal(true);
    expect((await tickmark('accounts', 'list')).out).to.include('a@example.com');
    expect((await tickmark('migrate')).out).to.equal('The account store already has the schema version of this tickmark.\n');
  });

  it('says in words what it did, and where the copy is', async () => {
    const { code, out, err } = await tickmark('migrate');
    expect([code, err]).to.deep.equal([0, '']);
    expect(out).to.include(`from schema version 1 to ${MIGRATIONS.length}`).and.include(`${file}.schema-1`);
  });

  it('says of a MongoDB that it made no copy', async function () {
    const { place, env, dispose } = await makeStoreLocation('mongodb', this);
    const client = await new MongoClient(place).connect();
    try {
      expect((await cliRun(env, 'accounts', 'list')).code).to.equal(0); // It makes the database.
      await client
        .db()
        .collection('schema')
        .updateOne({}, { $set: { version: 1, steps: 2 } });
      const { code, out } = await cliRun(env, 'migrate');
      expect(code).to.equal(0);
      expect(out).to.match(
        /^The account store was migrated from schema version 2 to \d+\. Copy: none, because a migration of MongoDB only adds indexes\.\n$/,
      );
    } finally {
      await client.close();
      await dispose();
    }
  });
});
