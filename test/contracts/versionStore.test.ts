import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { ServiceError } from '../../src/core/ServiceError.ts';
import { loadModelFolder } from '../../src/engine/model/loadModelFolder.ts';
import { FolderVersions } from '../../src/engine/model/registry/FolderVersions.ts';
import { promoteVersion, rollbackVersion } from '../../src/engine/model/registry/promoteVersion.ts';
import { pruneOlder, pruneVersions } from '../../src/engine/model/registry/pruneVersions.ts';
import type { Registry } from '../../src/engine/model/registry/Registry.ts';
import { verifyVersions } from '../../src/engine/model/registry/verifyVersions.ts';
import { FakeClock } from '../support/FakeClock.ts';
import { failureOf, rewriteFile, VersionFolders } from '../support/versionFolders.ts';

describe('FolderVersions, shared by several machines', () => {
  const folders = new VersionFolders();
  const { shippedDir, root } = folders;
  const trained = path.join(root, 'trained');
  const broken = new Set<string>();
  let store: FolderVersions;
  let registry: Registry;

  /** Another command, on the same machine or on another one. */
  const open = (): FolderVersions => new FolderVersions(folders.modelsDir, new FakeClock());
  const over = (versions: FolderVersions): Registry => ({
    shippedDir,
    versions,
    check: ({ manifest: { id } }) => {
      if (broken.has(id)) throw new ServiceError('model.refused', `${id} gives other answers than its golden ones.`);
    },
  });
  const push = (id: string): Promise<boolean> => store.push(path.join(trained, id));
  const prune = (keep: number) => pruneVersions(registry, { keep, dryRun: false });

  before(() => folders.open());
  beforeEach(() => {
    broken.clear();
    store = open();
    registry = over(store);
    folders.add(shippedDir, 'base', { gate: { verdict: 'not_judged', against: null, summary: '' } });
    for (const id of ['a', 'b', 'c']) folders.add(trained, id);
  });
  afterEach(() => {
    folders.clear();
    rmSync(trained, { recursive: true, force: true });
  });

  it('is empty at first: the shipped version is the default, and there is nothing to roll back', async () => {
    expect(store.state()).to.deep.include({ currentId: null, history: [], faults: [] });
    expect(store.list()).to.deep.equal([]);
    expect((await failureOf(() => rollbackVersion(registry))).code).to.equal('model.no_way_back');
  });

  it('gives back on any machine the version that was pushed, file by file, also one of a later release', async () => {
    rewriteFile(path.join(trained, 'a'), 'later.json', '{"later":1}');
    expect(await push('a')).to.equal(true);
    const other = open();
    expect(other.list()).to.deep.equal(['a']);
    const [copy, original] = [loadModelFolder(other.folderOf('a')), loadModelFolder(path.join(trained, 'a'))];
    expect(copy).to.deep.equal(original);
    expect(path.dirname(other.folderOf('a'))).to.not.equal(trained);
    expect(readFileSync(path.join(other.folderOf('a'), 'later.json'), 'utf8')).to.equal('{"later":1}');
  });

  it('keeps a version that it has: the same one is not stored twice, another one of its name is refused', async () => {
    await push('a');
    expect(await push('a')).to.equal(false);
    rmSync(path.join(trained, 'a'), { recursive: true });
    folders.add(trained, 'a', { createdAt: '2020-01-01T00:00:00.000Z' });
    const { code, message } = await failureOf(() => push('a'));
    expect([code, /another id/.test(message)]).to.deep.equal(['model.refused', true]);
    expect(store.list()).to.deep.equal(['a']);
  });

  it('does not store a folder that is no whole version', async () => {
    rmSync(path.join(trained, 'b', 'weights.bin'));
    expect((await failureOf(() => push('b'))).code).to.equal('model.refused');
    mkdirSync(path.join(trained, 'empty'));
    expect((await failureOf(() => push('empty'))).code).to.equal('model.refused');
    expect(store.list()).to.deep.equal([]);
  });

  it('promotes, rolls back one by one to the shipped default, and keeps the history', async () => {
    for (const id of ['a', 'b']) await push(id);
    expect(await promoteVersion(registry, 'a')).to.deep.equal({ id: 'a', previous: null, changed: true });
    expect(await promoteVersion(registry, 'a')).to.deep.include({ changed: false });
    expect(await promoteVersion(registry, 'b')).to.deep.equal({ id: 'b', previous: 'a', changed: true });
    expect(await rollbackVersion(registry)).to.deep.equal({ id: 'a', previous: 'b', changed: true });
    expect(await rollbackVersion(registry)).to.deep.equal({ id: null, previous: 'a', changed: true });
    expect((await failureOf(() => rollbackVersion(registry))).code).to.equal('model.no_way_back');
    const { currentId, history, faults } = open().state();
    expect([currentId, faults, history.map(({ id, previous, by }) => [id, previous, by])]).to.deep.equal([
      null,
      [],
      [
        ['a', null, 'promote'],
        ['b', 'a', 'promote'],
        ['a', 'b', 'rollback'],
        [null, 'a', 'rollback'],
      ],
    ]);
    expect(history[0]?.at).to.equal('2024-01-01T00:00:00.000Z');
  });

  it('promotes a shipped version, and refuses an unknown one, a broken one and one of generated ticks without a change', async () => {
    await push('a');
    folders.add(trained, 'toy', { synthetic: true });
    await push('toy');
    expect((await failureOf(() => promoteVersion(registry, 'none'))).message).to.equal('Unknown model "none". Known models: base, a, toy.');
    expect((await failureOf(() => promoteVersion(registry, 'toy', { force: true }))).code).to.equal('model.not_promotable');
    broken.add('a');
    expect((await failureOf(() => promoteVersion(registry, 'a'))).code).to.equal('model.refused');
    expect(store.state().history).to.deep.equal([]);
    expect(await promoteVersion(registry, 'base')).to.deep.include({ id: 'base', changed: true });
  });

  it('lets one of two operators win who change the default at the same time, and tells the other', async () => {
    for (const id of ['a', 'b']) await push(id);
    const other = open();
    const [mine, theirs] = [store.state(), other.state()];
    expect(await other.change(theirs, 'b', 'promote', ['base'])).to.deep.include({ id: 'b', changed: true });
    expect((await failureOf(() => store.change(mine, 'a', 'promote', ['base']))).code).to.equal('model.registry_busy');
    expect((await failureOf(() => store.remove(mine, ['b']))).code).to.equal('model.registry_busy');
    expect(store.state()).to.deep.include({ currentId: 'b' });
    expect(store.list()).to.deep.equal(['a', 'b']);
  });

  it('keeps all of many versions that several machines push at the same time', async () => {
    const others = [open(), open(), open()];
    const pushed = await Promise.all(['a', 'b', 'c'].map((id, i) => others[i]?.push(path.join(trained, id))));
    expect(pushed).to.deep.equal([true, true, true]);
    expect(store.list()).to.deep.equal(['a', 'b', 'c']);
  });

  it('prunes what is out of use, and nothing else', async () => {
    for (const id of ['a', 'b', 'c']) await push(id);
    for (const id of ['a', 'b']) await promoteVersion(registry, id);
    expect(await pruneVersions(registry, { keep: 1, dryRun: true })).to.deep.equal({ removed: ['c'], kept: ['a', 'b'], leftAlone: [] });
    expect(store.list()).to.have.length(3);
    expect(await prune(1)).to.deep.equal({ removed: ['c'], kept: ['a', 'b'], leftAlone: [] });
    expect(await prune(0)).to.deep.equal({ removed: ['a'], kept: ['b'], leftAlone: [] });
    expect(store.list()).to.deep.equal(['b']);
    expect((await failureOf(() => rollbackVersion(registry))).code).to.equal('model.unknown');
    expect(await push('a')).to.equal(true);
    expect(await rollbackVersion(registry)).to.deep.include({ id: 'a' });
  });

  it('keeps the newest versions of a name, the default and the one before, while other machines push', async () => {
    const days = ['04', '11', '18', '25'];
    const ids = ['eu', 'us'].flatMap((name) => days.map((day) => `${name}-2026-12-${day}`));
    for (const id of [...ids, 'eu', 'eu-1']) {
      folders.add(trained, id);
      await push(id);
    }
    await promoteVersion(registry, ids[0]);
    const others = [open(), open(), open()].map(over);
    const removed = await Promise.all([
      ...others.slice(0, 2).map((other, at) => pruneOlder(other, ids[at * 4 + 3], { keep: 1, pinned: ['us-2026-12-11'] })),
      others[2].versions.push(path.join(trained, 'a')),
    ]);
    expect(removed).to.deep.equal([['eu-2026-12-11', 'eu-2026-12-18'], ['us-2026-12-04', 'us-2026-12-18'], true]);
    expect(store.list()).to.deep.equal(['a', 'eu', 'eu-1', 'eu-2026-12-04', 'eu-2026-12-25', 'us-2026-12-11', 'us-2026-12-25'].sort());
    expect(await pruneOlder(registry, 'eu-2026-12-25', { keep: 1, pinned: [] })).to.deep.equal([]);
  });

  it('verifies every version, and the default', async () => {
    await push('a');
    await promoteVersion(registry, 'a');
    const faults = async () => (await verifyVersions(registry)).flatMap((each) => each.faults);
    expect([(await verifyVersions(registry)).map((each) => path.basename(each.path)), await faults()]).to.deep.equal([
      ['base', 'a', 'current.json'],
      [],
    ]);
    broken.add('a');
    expect(await faults()).to.deep.equal(['a gives other answers than its golden ones.']);
    await store.remove(store.state(), ['a']);
    expect(await faults()).to.deep.equal(['Unknown model "a". Known models: base.']);
  });
});
