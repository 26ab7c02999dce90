import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { silentLogger } from '../../../src/core/Logger.ts';
import { openSqliteStore } from '../../../src/service/accounts/openSqliteStore.ts';
import { noteServedStore } from '../../../src/service/app/servedStore.ts';
import { sampleAccount } from '../../support/sampleAccount.ts';
import { ROOT } from '../../support/tickmarkProcess.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const UNITS = ['tickmark-backup.service', 'tickmark-backup.timer'];
const unit = (name: string): string => readFileSync(path.join(ROOT, 'deploy', 'systemd', name), 'utf8');

describe('the systemd timer of the backup', () => {
  let folder: string;
  beforeEach(() => (folder = temporaryFolder()));

  it('passes systemd-analyze verify', function () {
    if (spawnSync('systemd-analyze', ['--version']).status !== 0) {
      process.stdout.write('    skipped: systemd-analyze is not installed\n');
      this.skip();
    }
    for (const name of UNITS) writeFileSync(path.join(folder, name), unit(name));
    const files = UNITS.map((name) => path.join(folder, name));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...files], { encoding: 'utf8' });
    const ours = stderr.split('\n').filter((line) => line.includes('tickmark-backup'));
    expect([status, ours]).to.deep.equal([0, []]);
  });

  it('writes a backup and checks it, then removes those that are too old', async () => {
    const [data, backups] = [path.join(folder, 'data'), path.join(folder, 'backups')];
    mkdirSync(backups);
    const store = openSqliteStore(data);
    await store.createAccount(sampleAccount('a'));
    await store.close();
    for (const [name, at] of [
      ['2020-01-01T00-00-00Z', 1],
      ['2020-01-02T00-00-00Z', Date.now() / 1000],
      ['notes', 1],
    ] as const) {
      mkdirSync(path.join(backups, name));
      utimesSync(path.join(backups, name), at, at);
    }
    // As systemd reads the line: `$$` and `%%` stand for one character.
    const line = /^ExecStart=\/bin\/sh -euc '(.*)'$/m.exec(unit(UNITS[0]))?.[1] ?? '';
    const script = line.replaceAll('$$', '$').replaceAll('%%', '%').replaceAll('/usr/bin/node', process.execPath);
    const env = { ...process.env, MONGODB_URI: '', DATA_DIR: data, KEEP_DAYS: '30', TICKMARK: path.join(ROOT, 'bin', 'tickmark.js') };
    const said = execFileSync('/bin/sh', ['-euc', script], { cwd: backups, encoding: 'utf8', env });
    expect(said).to.match(/: whole, of \S+tickmark\.sqlite, 20\d\d-/);
    const [old, made, notes, ...rest] = readdirSync(backups).sort();
    expect([old, notes, rest]).to.deep.equal(['2020-01-02T00-00-00Z', 'notes', []]);
    expect(readFileSync(path.join(backups, made ?? '', 'accounts.ndjson'), 'utf8')).to.include('"a@example.com"');
    // A backup that fails leaves the old ones.
    utimesSync(path.join(backups, made ?? ''), 1, 1);
    const failed = spawnSync('/bin/sh', ['-euc', script], { cwd: backups, env: { ...env, DATA_DIR: '/proc/none' } });
    expect(failed.status).to.not.equal(0);
    expect(readdirSync(backups)).to.include(made);
    // So does one of another store than that of the service, without its secret.
    noteServedStore({ dataDir: data, mongodbUri: 'mongodb://db.example.com/tickmark' }, silentLogger);
    const refused = spawnSync('/bin/sh', ['-euc', script], { cwd: backups, env, encoding: 'utf8' });
    expect(refused.status).to.not.equal(0);
    expect(refused.stderr).to.include('keeps its accounts in the MongoDB database tickmark on db.example.com');
    expect(readdirSync(backups).sort()).to.deep.equal(['2020-01-02T00-00-00Z', made, 'notes'].sort());
  });
});
