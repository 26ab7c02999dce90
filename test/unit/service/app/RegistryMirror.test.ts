import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { RegistryMirror } from '../../../../src/service/app/RegistryMirror.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { EMPTY_REGISTRY, type RegistryDocument } from '../../../../src/engine/model/registry/mongoRecords.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { failureOf, VersionFolders } from '../../../support/versionFolders.ts';

describe('RegistryMirror', () => {
  const folders = new VersionFolders();
  const { shippedDir, modelsDir: cacheDir } = folders;
  const clock = new FakeClock(Date.now());
  let document: RegistryDocument;
  let damaged: Set<string>;
  let isAway: boolean;
  let downloads: string[];
  let logged: string[];

  const make = (): RegistryMirror => {
    const answer = <T>(value: T): T => {
      if (isAway) throw new ServiceError('store.unavailable', 'The registry does not answer.');
      return value;
    };
    const versions = {
      cacheDir,
      revision: async () => answer(document.revision),
      document: async () => answer(document),
      download: async ({ id }: { id: string }) => {
        answer(null);
        downloads.push(id);
        if (damaged.has(id)) throw new ServiceError('model.refused', `${id} is damaged.`);
        return existsSync(path.join(cacheDir, id)) ? path.join(cacheDir, id) : folders.add(cacheDir, id);
      },
    };
    const note = (message: string, fields?: object): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
    return new RegistryMirror({ versions, shippedDir, clock, logger: { info: note, warn: note } });
  };
  /** The next revision, with these versions and defaults one after the other. */
  const write = (ids: readonly string[], defaults: readonly (string | null)[]): void => {
    const current = defaults.length === 0 ? null : { id: defaults.at(-1) ?? null, sinceMs: defaults.length, by: 'promote' as const };
    document = {
      ...EMPTY_REGISTRY,
      revision: document.revision + 1,
      versions: ids.map((id) => ({ id, pushedAt: '', files: [] })),
      current,
      history: defaults.map((id, at) => ({ id, previous: defaults[at - 1] ?? null, at: '', by: 'promote' })),
    };
  };
  const currentId = (): unknown => (JSON.parse(readFileSync(path.join(cacheDir, 'current.json'), 'utf8')) as { id: unknown }).id;
  const versionsHere = (): string[] => readdirSync(cacheDir).filter((name) => name !== 'current.json');

  before(() => folders.open());
  beforeEach(() => {
    [document, damaged, isAway, downloads, logged] = [EMPTY_REGISTRY, new Set(), false, [], []];
    folders.add(shippedDir, 'base');
    mkdirSync(cacheDir);
  });
  afterEach(() => folders.clear());
  after(() => folders.close());

  it('copies versions and default, follows a change of either, and removes what the registry no longer has', async () => {
    const mirror = make();
    await mirror.sync();
    expect([mirror.standing.revision, versionsHere(), existsSync(path.join(cacheDir, 'current.json'))]).to.deep.equal([0, [], false]);
    write(['a', 'b'], ['a']);
    await mirror.sync();
    expect([versionsHere(), currentId(), mirror.standing.wantedId]).to.deep.equal([['a', 'b'], 'a', 'a']);
    write(['b'], ['a', 'b', null]);
    await mirror.sync();
    expect([versionsHere(), currentId(), mirror.standing.revision]).to.deep.equal([['b'], null, 2]);
  });

  it('downloads nothing while the revision stays', async () => {
    const mirror = make();
    write(['a'], ['a']);
    for (let i = 0; i < 3; i++) await mirror.sync();
    expect(downloads).to.deep.equal(['a']);
  });

  it('passes over a version that does not verify, warns once, and keeps the default before it', async () => {
    const mirror = make();
    write(['a', 'b', 'c'], ['a', 'b']);
    damaged.add('b').add('c');
    for (let i = 0; i < 3; i++) await mirror.sync();
    expect([versionsHere(), currentId(), mirror.standing.wantedId]).to.deep.equal([['a'], 'a', 'b']);
    expect([...mirror.standing.refused.keys()]).to.deep.equal(['b', 'c']);
    expect(logged.filter((line) => line.includes('passed over'))).to.have.length(2);
    write(['a', 'b', 'c'], ['a', 'b', 'c']);
    await mirror.sync();
    expect([currentId(), logged.length]).to.deep.equal(['a', 2]);
  });

  it('takes the shipped version where no default before verifies', async () => {
    const mirror = make();
    write(['a', 'b'], ['a', 'b']);
    damaged.add('a').add('b');
    await mirror.sync();
    expect(currentId()).to.equal(null);
    write(['a', 'b'], ['base', 'a', 'b']);
    await mirror.sync();
    expect(currentId()).to.equal('base');
  });

  it('tries a damaged version again after a minute, and serves it once it is whole', async () => {
    const mirror = make();
    write(['a'], ['a']);
    damaged.add('a');
    await mirror.sync();
    damaged.clear();
    await mirror.sync();
    expect(currentId()).to.equal(null);
    clock.advance(60_000);
    await mirror.sync();
    expect([currentId(), mirror.standing.refused.size]).to.deep.equal(['a', 0]);
  });

  it('keeps what is there while the database is away, says so once, and follows again', async () => {
    const mirror = make();
    write(['a'], ['a']);
    await mirror.sync();
    isAway = true;
    write(['a', 'b'], ['a', 'b']);
    for (let i = 0; i < 3; i++) await mirror.follow();
    expect([versionsHere(), currentId(), logged.length]).to.deep.equal([['a'], 'a', 1]);
    expect((await failureOf(() => mirror.sync())).code).to.equal('store.unavailable');
    isAway = false;
    await mirror.follow();
    expect([versionsHere(), currentId(), logged.length]).to.deep.equal([['a', 'b'], 'b', 2]);
  });

  it('does not copy a version under the name of one that ships', async () => {
    write(['base'], ['base']);
    await make().sync();
    expect([downloads, versionsHere(), currentId()]).to.deep.equal([[], [], 'base']);
  });

  it('removes at its start the downloads that a killed process left, and no running one', async () => {
    for (const name of ['.incoming-1', '.incoming-2']) mkdirSync(path.join(cacheDir, name));
    const old = clock.nowMs() / 1000 - 3600;
    utimesSync(path.join(cacheDir, '.incoming-1'), old, old);
    make();
    expect(readdirSync(cacheDir)).to.deep.equal(['.incoming-2']);
  });
});
