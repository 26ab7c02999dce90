import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { cliRun, type CliRun } from '../../support/cliRun.ts';
import { makeStoreLocation, type StoreLocation } from '../../support/eachStore.ts';
import { VersionFolders } from '../../support/versionFolders.ts';

describe('tickmark backup and restore: the registry in MongoDB', function () {
  this.timeout(300_000);
  const versions = new VersionFolders();
  const root = mkdtempSync(path.join(tmpdir(), 'tickmark-backup-registry-'));
  const backup = path.join(root, 'backup');
  const places: StoreLocation[] = [];
  let source: StoreLocation;
  let folders = 0;

  const makePlace = async (test: Mocha.Context): Promise<StoreLocation> => {
    const place = await makeStoreLocation('mongodb', test);
    places.push(place);
    return place;
  };
  /** `tickmark` on a machine that has no copies. */
  const at = (place: StoreLocation, registry: 'folder' | 'mongodb', ...argv: string[]): Promise<CliRun> => {
    const own = registry === 'folder' ? path.join(root, 'target') : path.join(root, `models-${++folders}`);
    return cliRun({ ...place.env, MODEL_REGISTRY: registry, MODELS_DIR: own, RUNTIME_BACKEND: 'wasm', STORE_TIMEOUT_MS: '20000' }, ...argv);
  };
  const ok = async (...args: Parameters<typeof at>): Promise<string> => {
    const { code, out, err } = await at(...args);
    expect(code, err).to.equal(0);
    return out;
  };
  const historyOf = async (place: StoreLocation, registry: 'folder' | 'mongodb'): Promise<unknown> => {
    const { history } = JSON.parse(await ok(place, registry, 'models', 'history', '--json')) as { history: { at: string; id: string }[] };
    return history;
  };

  before(async function () {
    source = await makePlace(this);
    await versions.open();
    for (const id of ['a', 'b']) await ok(source, 'mongodb', 'models', 'push', versions.add(path.join(root, 'trained'), id));
    for (const id of ['a', 'b']) await ok(source, 'mongodb', 'models', 'promote', id);
    expect(await ok(source, 'mongodb', 'backup', backup)).to.include('2 model versions');
  });
  after(async () => {
    for (const place of places) await place.dispose();
    versions.close();
    rmSync(root, { recursive: true, force: true });
  });

  it('brings versions, default and history back into an empty database; twice is once', async function () {
    const target = await makePlace(this);
    const restored = JSON.parse(await ok(target, 'mongodb', 'restore', backup, '--json')) as object;
    expect(restored).to.deep.include({ versions: ['a', 'b'], pointers: ['history.jsonl', 'current.json'], leftAlone: [] });
    expect(await historyOf(target, 'mongodb')).to.deep.equal(await historyOf(source, 'mongodb'));
    await ok(target, 'mongodb', 'models', 'verify');
    const again = JSON.parse(await ok(target, 'mongodb', 'restore', backup, '--json')) as object;
    expect(again).to.deep.include({ versions: [], pointers: [], leftAlone: [] });
    expect(await ok(target, 'mongodb', 'models', 'rollback')).to.match(/^a is the default/);
  });

  it('brings a registry of one kind into the other', async function () {
    const target = await makePlace(this);
    await ok(target, 'folder', 'restore', backup);
    expect(await historyOf(target, 'folder')).to.deep.equal(await historyOf(source, 'mongodb'));
    const [second, third] = [path.join(root, 'second'), await makePlace(this)];
    await ok(target, 'folder', 'backup', second);
    await ok(third, 'mongodb', 'restore', second);
    expect(await historyOf(third, 'mongodb')).to.deep.equal(await historyOf(source, 'mongodb'));
  });

  it('changes nothing where a version differs, unless it is told to leave that as it is', async function () {
    const target = await makePlace(this);
    const other = versions.add(path.join(root, 'other'), 'a', { createdAt: '2020-01-01T00:00:00.000Z' });
    await ok(target, 'mongodb', 'models', 'push', other);
    const refused = await at(target, 'mongodb', 'restore', backup);
    expect([refused.code, /already exist in MongoDB model_registry with different content: models\/a/.test(refused.err)]).to.deep.equal([
      1,
      true,
    ]);
    expect(JSON.parse(await ok(target, 'mongodb', 'models', 'list', '--json')))
      .to.have.property('models')
      .with.length(2);
    const left = JSON.parse(await ok(target, 'mongodb', 'restore', backup, '--skip-existing', '--json')) as object;
    expect(left).to.deep.include({ versions: ['b'], leftAlone: ['models/a'] });
  });

  it('keeps a default that was chosen since, and says so', async function () {
    const target = await makePlace(this);
    await ok(target, 'mongodb', 'models', 'push', path.join(root, 'trained', 'a'));
    await ok(target, 'mongodb', 'models', 'promote', 'a');
    const restored = JSON.parse(await ok(target, 'mongodb', 'restore', backup, '--json')) as object;
    expect(restored).to.deep.include({ versions: ['b'], pointers: [], leftAlone: ['models/current.json'] });
  });

  it('makes no backup with a damaged version in it', async () => {
    const client = await new MongoClient(source.place).connect();
    const chunks = client.db().collection('model_files.chunks');
    const file = await client.db().collection('model_files.files').findOne({ filename: 'b/weights.bin' });
    await chunks.deleteMany({ files_id: file?._id });
    await client.close();
    const { code, err } = await at(source, 'mongodb', 'backup', path.join(root, 'damaged'));
    expect([code, /Version b of the registry in MongoDB: weights\.bin (is missing|has SHA-256)/.test(err)]).to.deep.equal([1, true]);
    expect(() => readFileSync(path.join(root, 'damaged', 'backup.json'))).to.throw('ENOENT');
  });
});
