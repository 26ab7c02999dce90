import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import type { RecordRow } from '../../../src/service/live/TrackRecord.ts';
import { startAccountService, type AccountRig } from '../../support/accountService.ts';
import { bundleScript } from '../../support/bundleScript.ts';
import { cliRun, type CliRun } from '../../support/cliRun.ts';
import { makeStoreLocation, STORE_KINDS, type StoreLocation } from '../../support/eachStore.ts';
import { openNamedStore } from '../../support/openNamedStore.ts';
import { sampleRecord } from '../../support/sampleAccount.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { VersionFolders } from '../../support/versionFolders.ts';

/** Every file under a folder with its bytes. */
function treeOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    entries.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(folder, file), readFileSync(file, 'base64')];
    }),
  );
}

for (const kind of STORE_KINDS)
  describe(`tickmark backup and restore: ${kind}`, function () {
    this.timeout(120_000);
    const versions = new VersionFolders();
    const root = temporaryFolder();
    const backup = path.join(root, 'backup');
    const modelsDir = path.join(root, 'models');
    let source: StoreLocation;
    let rig: AccountRig;
    let key: unknown;
    let records: RecordRow[];
    const at = (place: StoreLocation, models: string, ...argv: string[]): Promise<CliRun> =>
      cliRun({ ...place.env, MODELS_DIR: models, RUNTIME_BACKEND: 'wasm', STORE_TIMEOUT_MS: '20000' }, ...argv);

    before(async function () {
      source = await makeStoreLocation(kind, this);
      await versions.open();
      for (const id of ['a', 'b']) versions.add(modelsDir, id);
      rig = await startAccountService(source);
      key = (await rig.signUp('trader@example.com')).json['api_key'];
      const store = await openNamedStore(source.kind, source.place);
      const [account] = await store.listAccounts({ limit: 1 });
      records = Array.from({ length: 150 }, (_, i) =>
        sampleRecord(account?.id ?? '', { series: `s${100 + i}`, tally: { outcomes: i, brierSum: i / 7 } }),
      );
      for (const at of [0, 100]) await store.addRecords(records.slice(at, at + 100), `${at}`);
      await store.close();
      await at(source, modelsDir, 'models', 'promote', 'a');
      await at(source, modelsDir, 'models', 'promote', 'b');
      const made = await at(source, modelsDir, 'backup', backup);
      expect([made.code, made.err]).to.deep.equal([0, '']);
      expect(made.out).to.include('2 model versions');
    });
    after(async () => {
      await rig?.close();
      await source?.dispose();
    });

    it('works on a store that it may not write, and verifies what it has written', async function () {
      if (kind !== 'sqlite') this.skip();
      // The service runs: accounts are still in the write-ahead log.
      const [data, target] = [path.join(root, 'read-only'), path.join(root, 'target')];
      cpSync(source.place, data, { recursive: true });
      cpSync(modelsDir, path.join(data, 'models'), { recursive: true });
      mkdirSync(target);
      chmodSync(target, 0o777);
      chmodSync(root, 0o755);
      // The mark by which services on one folder find each other.
      expect(readdirSync(data).filter((name) => name.startsWith('running-'))).to.have.length(1);
      const before = treeOf(data);
      const all = readdirSync(data, { recursive: true, encoding: 'utf8' }).map((name) => path.join(data, name));
      const setModes = (folder: number, file: number): void =>
        [...all, data].forEach((name) => chmodSync(name, statSync(name).isDirectory() ? folder : file));
      setModes(0o555, 0o444);
      try {
        const made = path.join(target, 'backup');
        const commands = [
          ['accounts', 'list'],
          ['accounts', 'create', 'new@example.com', '--generate-password'],
          ['backup', made],
        ];
        const env = { ...process.env, MONGODB_URI: '', DATA_DIR: data, MODELS_DIR: path.join(data, 'models'), TMPDIR: target };
        const ran = execFileSync(
          process.execPath,
          [await bundleScript('test/support/readOnlyCommands.ts'), JSON.stringify([...commands, ['backup', '--verify', made]])],
          {
            env,
            encoding: 'utf8',
          },
        );
        const [listed, created, backedUp, verified] = JSON.parse(ran) as CliRun[];
        expect([listed?.code, listed?.err]).to.deep.equal([0, '']);
        expect(listed?.out).to.include('trader@example.com');
        expect([created?.code, created?.err.includes(data)], 'a command that writes says which folder').to.deep.equal([1, true]);
        expect([backedUp?.code, backedUp?.err]).to.deep.equal([
          0,
          `tickmark: the backup is made, but its service cannot know: ${data} cannot be written.\n`,
        ]);
        expect(verified).to.deep.include({ code: 0, err: '' });
        expect(verified?.out).to.include(`${made}: whole`);
        expect(
          readdirSync(target).filter((name) => name.startsWith('tickmark-store-')),
          'no private copy is left',
        ).to.deep.equal([]);
        expect(treeOf(data)).to.deep.equal(before);
      } finally {
        setModes(0o755, 0o644);
      }
    });

    it('says which tickmark made a backup, if it was another one, also if it cannot be read', async () => {
      const other = path.join(root, 'other');
      cpSync(backup, other, { recursive: true });
      const manifest = path.join(other, 'backup.json');
      const text = readFileSync(manifest, 'utf8').replace(/"tickmark": "[^"]*"/, '"tickmark": "9.8.7+abc"');
      writeFileSync(manifest, text);
      const note = 'tickmark 9.8.7+abc made this backup; this is tickmark ';
      const verify = (): Promise<CliRun> => at(source, modelsDir, 'backup', '--verify', other);
      expect(await verify()).to.deep.include({ code: 0, err: '' });
      expect((await verify()).out).to.include(note);
      expect((await at(source, modelsDir, 'restore', other)).err).to.include(note);
      writeFileSync(manifest, text.replace('tickmark-backup/1', 'tickmark-backup/2'));
      expect((await verify()).err).to.include(note);
      expect((await at(source, modelsDir, 'backup', '--verify', backup)).out).to.not.include('made this backup');
      writeFileSync(path.join(other, 'accounts.ndjson'), '{}');
      writeFileSync(manifest, text);
      expect(await verify()).to.deep.include({ code: 1 });
    });

    /** Runs `use` with an empty store of either kind and a folder for versions. */
    async function withTarget(test: Mocha.Context, use: (place: StoreLocation, models: string) => Promise<void>): Promise<void> {
      for (const other of STORE_KINDS) {
        const place = await makeStoreLocation(other, test);
        const models = path.join(temporaryFolder(), 'models');
        try {
          await use(place, models);
        } finally {
          await place.dispose();
        }
      }
    }

    it('is for its owner alone, holds what it names, and is made once', async () => {
      expect(statSync(backup).mode & 0o077).to.equal(0);
      expect(statSync(path.join(backup, 'accounts.ndjson')).mode & 0o077).to.equal(0);
      expect(
        Object.keys(treeOf(backup))
          .filter((name) => !name.startsWith(path.join('models', 'a')))
          .sort(),
      ).to.include.members([
        'accounts.ndjson',
        'backup.json',
        path.join('models', 'current.json'),
        path.join('models', 'history.jsonl'),
        path.join('models', 'b', 'manifest.json'),
      ]);
      const again = await at(source, modelsDir, 'backup', backup);
      expect([again.code, again.err.includes('not empty')]).to.deep.equal([1, true]);
      expect(readdirSync(root).filter((name) => name.includes('unfinished'))).to.deep.equal([]);
    });

    it('brings all back into an empty place of either kind, where keys and versions work; twice is once', async function () {
      await withTarget(this, async (place, models) => {
        const restored = await at(place, models, 'restore', backup, '--json');
        expect([restored.code, restored.err]).to.deep.equal([0, '']);
        expect(JSON.parse(restored.out)).to.deep.include({ versions: ['a', 'b'], leftAlone: [] });
        expect(treeOf(models)).to.deep.equal(treeOf(path.join(backup, 'models')));
        expect((await at(place, models, 'models', 'verify')).code).to.equal(0);
        expect((await at(place, models, 'models', 'rollback')).out, 'the history too').to.match(/^a is the default/);
        await at(place, models, 'models', 'promote', 'b');
        const there = await startAccountService(place);
        expect((await there.withKey(key, '/auth/me')).status).to.equal(200);
        expect((await there.asOwner('trader@example.com', '/account/keys')).status).to.equal(200);
        await there.close();
        const again = await at(place, models, 'restore', backup, '--skip-existing', '--json');
        expect(JSON.parse(again.out)).to.deep.include({ versions: [], pointers: [] });
        const store = await openNamedStore(place.kind, place.place);
        expect(await store.listRecords({ accountId: records[0]?.accountId ?? '', limit: 1000 })).to.deep.equal(records);
        await store.close();
      });
    });

    it('brings back into a running service what was lost there: a deleted account and a version', async () => {
      expect((await rig.asOwner('trader@example.com', '/account', { method: 'DELETE' })).status).to.equal(200);
      expect((await rig.withKey(key, '/auth/me')).status).to.equal(401);
      rmSync(path.join(modelsDir, 'a'), { recursive: true });
      const restored = await at(source, modelsDir, 'restore', backup, '--json');
      expect(JSON.parse(restored.out)).to.deep.include({ versions: ['a'], pointers: [] });
      expect((await rig.withKey(key, '/auth/me')).status).to.equal(200);
      expect(existsSync(path.join(modelsDir, 'a', 'weights.bin'))).to.equal(true);
    });

    it('restores no account where the versions cannot be written', async function () {
      await withTarget(this, async (place) => {
        const refused = await at(place, '/dev/null/models', 'restore', backup);
        expect(refused.code).to.equal(1);
        expect(refused.err).to.include('/dev/null/models cannot be written');
        expect(await place.dump()).to.not.include('trader@example.com');
      });
    });

    it('changes nothing where something differs, unless it is told to leave that as it is', async function () {
      await withTarget(this, async (place, models) => {
        versions.add(models, 'a', { createdAt: '2020-01-01T00:00:00.000Z' });
        const before = treeOf(models);
        const refused = await at(place, models, 'restore', backup);
        expect([refused.code, refused.err.includes('models/a')]).to.deep.equal([1, true]);
        expect(treeOf(models)).to.deep.equal(before);
        const listed = await at(place, models, 'accounts', 'list');
        expect(listed.out + listed.err).to.include(place.kind === 'sqlite' ? 'tickmark.sqlite is missing' : 'No account.');
        const left = await at(place, models, 'restore', backup, '--skip-existing', '--json');
        expect(JSON.parse(left.out)).to.deep.include({ versions: ['b'], leftAlone: ['models/a'] });
        expect(readFileSync(path.join(models, 'a', 'manifest.json'), 'utf8')).to.include('2020-01-01');
      });
    });

    it('refuses a backup that is not whole or not ours, and changes nothing', async function () {
      const place = await makeStoreLocation('sqlite', this);
      const models = path.join(root, 'refused');
      const broken = path.join(root, 'broken');
      const manifest = path.join(broken, 'backup.json');
      const edit = (from: string | RegExp, to: string): void => writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(from, to));
      const cases: [what: string, damage: () => void, why: RegExp][] = [
        ['unfinished', () => rmSync(manifest), /has no backup\.json/],
        ['a missing file', () => rmSync(path.join(broken, 'models', 'b', 'weights.bin')), /weights\.bin is missing/],
        ['a truncated file', () => truncateSync(path.join(broken, 'models', 'b', 'weights.bin'), 3), /does not match the backup manifest/],
        ['truncated accounts', () => truncateSync(path.join(broken, 'accounts.ndjson'), 3), /does not match the backup manifest/],
        ['a way out of the folder', () => edit('models/b/card.md', 'models/../../card.md'), /\/files\/\d+\/path/],
        ['a path from the root', () => edit('models/b/card.md', '/etc/passwd'), /\/files\/\d+\/path/],
        [
          'a version with the name of another file',
          () => edit('models/b/card.md', 'models/current.json/x'),
          /current\.json cannot be a version/,
        ],
        [
          'a version with the name of the lock',
          () => edit('models/b/card.md', 'models/registry.lock/x'),
          /registry\.lock cannot be a version/,
        ],
        ['a file named twice', () => edit('models/b/card.md', 'models/b/weights.bin'), /names a file twice/],
        [
          'a file of a version that is not named',
          () => writeFileSync(path.join(broken, 'models', 'b', 'more.json'), '{}'),
          /more\.json is not named/,
        ],
        [
          'a version that is not named',
          () => cpSync(path.join(broken, 'models', 'b'), path.join(broken, 'models', 'c'), { recursive: true }),
          /is not named/,
        ],
        [
          'a linked folder of a version',
          () => {
            rmSync(path.join(broken, 'models', 'b'), { recursive: true });
            symlinkSync(path.join(backup, 'models', 'b'), path.join(broken, 'models', 'b'));
          },
          /is not a plain file/,
        ],
        [
          'a linked folder of all versions',
          () => {
            rmSync(path.join(broken, 'models'), { recursive: true });
            symlinkSync(path.join(backup, 'models'), path.join(broken, 'models'));
          },
          /is a link to one/,
        ],
        ['another format', () => edit('tickmark-backup/1', 'tickmark-backup/9'), /\/format/],
        ['no accounts named', () => edit(/\{[^{}]*"accounts\.ndjson"[^{}]*\},/, ''), /names no accounts\.ndjson/],
        [
          'a link',
          () => {
            rmSync(path.join(broken, 'models', 'b', 'card.md'));
            symlinkSync(path.join(backup, 'models', 'b', 'card.md'), path.join(broken, 'models', 'b', 'card.md'));
          },
          /is not a plain file/,
        ],
      ];
      for (const [what, damage, why] of cases) {
        rmSync(broken, { recursive: true, force: true });
        cpSync(backup, broken, { recursive: true });
        damage();
        const { code, err } = await at(place, models, 'restore', broken);
        expect(code, what).to.equal(1);
        expect(err, what).to.match(why);
      }
      const other = path.join(root, 'other');
      versions.add(other, 'b');
      writeFileSync(path.join(other, 'b', 'card.md'), 'another one');
      expect((await at(place, other, 'restore', backup)).err).to.match(/already exist/);
      truncateSync(path.join(broken, 'accounts.ndjson'), 3);
      expect((await at(place, models, 'accounts', 'import', path.join(broken, 'accounts.ndjson'))).code).to.equal(1);
      expect(existsSync(models)).to.equal(false);
      expect(readdirSync(place.env['DATA_DIR']), 'no store').to.deep.equal([]);
      await place.dispose();
    });

    it('leaves nothing half-made where it cannot be written', async () => {
      writeFileSync(path.join(root, 'file'), '');
      const { code, err } = await at(source, modelsDir, 'backup', path.join(root, 'file', 'backup'));
      expect([code, err.includes('cannot be written')]).to.deep.equal([1, true]);
    });
  });
