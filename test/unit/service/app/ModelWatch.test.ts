import { renameSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { readModelSignatures, ModelWatch } from '../../../../src/service/app/ModelWatch.ts';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { ModelSlots } from '../../../../src/engine/inference/ModelSlots.ts';
import { loadModelFolder } from '../../../../src/engine/model/loadModelFolder.ts';
import { FolderVersions } from '../../../../src/engine/model/registry/FolderVersions.ts';
import { promoteVersion, rollbackVersion } from '../../../../src/engine/model/registry/promoteVersion.ts';
import type { Registry } from '../../../../src/engine/model/registry/Registry.ts';
import { registryPaths } from '../../../../src/engine/model/registry/registryPaths.ts';
import { createLogger } from '../../../../src/core/observability/createLogger.ts';
import { FakeClock } from '../../../support/FakeClock.ts';
import { editManifest, VersionFolders } from '../../../support/versionFolders.ts';

describe('ModelWatch', () => {
  const places = new VersionFolders();
  const { shippedDir, modelsDir } = places;
  let clock: FakeClock;
  let slots: ModelSlots;
  let watch: ModelWatch;
  let logged: string[];
  let opened: string[];
  /** Whether the inference process has ended and is not back. */
  let isAway = false;
  /** It ends once it has opened so many versions. */
  let awayAfter = Infinity;
  let dropped: string[];
  const registry: Registry = { shippedDir, versions: new FolderVersions(modelsDir, new FakeClock()), check: () => {} };
  /** A second passes, and what it brings is done. */
  const second = async (): Promise<void> => {
    clock.advance(1000);
    for (let i = 0; i < 50; i++) await Promise.resolve();
  };
  const ids = (): string[] => slots.list().map(({ id }) => id);
  const warnings = (): number => logged.filter((line) => line.includes('"warn"')).length;
  const begin = (over: { isPinned?: boolean } = {}): void => {
    const logger = createLogger('debug', { write: (line: string) => void logged.push(line) });
    const seen = readModelSignatures(modelsDir);
    const shippedIds = new Set(['base']);
    watch = new ModelWatch({ modelsDir, slots, clock, logger, shippedIds, shippedDefaultId: 'base', isPinned: false, seen, ...over });
    watch.start();
  };

  before(() => places.open());
  beforeEach(async () => {
    [clock, logged, opened, dropped] = [new FakeClock(), [], [], []];
    slots = new ModelSlots({
      open: async (_networkId, { manifest, card }) => {
        if (isAway || opened.length >= awayAfter) throw new ServiceError('service.not_ready', 'The inference process is restarting.');
        if (card === 'off') throw new ServiceError('model.refused', 'golden row 0 is off.');
        opened.push(manifest.id);
      },
      drop: (networkId) => void dropped.push(networkId),
    });
    slots.swap([await slots.prepare(loadModelFolder(places.add(shippedDir, 'base')))], [], 'base');
    opened = [];
  });
  afterEach(() => {
    watch.close();
    places.clear();
  });

  it('looks again at a version that came while the network was away', async () => {
    begin();
    places.add(modelsDir, 'a');
    isAway = true;
    await second();
    await second();
    expect([ids(), opened]).to.deep.equal([['base'], []]);
    isAway = false;
    await second();
    expect([ids(), opened]).to.deep.equal([['base', 'a'], ['a']]);
    await second();
    expect(opened).to.deep.equal(['a']);
  });

  it('frees what it prepared where the network goes away before all is prepared', async () => {
    begin();
    places.add(modelsDir, 'a');
    places.add(modelsDir, 'b');
    awayAfter = 1;
    await second();
    expect([ids(), opened, dropped]).to.deep.equal([['base'], ['a'], ['a#2']]);
    awayAfter = Infinity;
    await second();
    expect([ids(), dropped]).to.deep.equal([['base', 'a', 'b'], ['a#2']]);
  });

  it('takes up a new version within a second, follows promotion and rollback, and lets go of what is pruned', async () => {
    begin();
    places.add(modelsDir, 'a');
    await second();
    expect([slots.defaultId, ids()]).to.deep.equal(['base', ['base', 'a']]);
    await promoteVersion(registry, 'a');
    await second();
    expect(slots.defaultId).to.equal('a');
    await rollbackVersion(registry);
    await second();
    expect(slots.defaultId).to.equal('base');
    rmSync(path.join(modelsDir, 'a'), { recursive: true });
    await second();
    expect([ids(), opened, warnings()]).to.deep.equal([['base'], ['a'], 0]);
  });

  it('keeps the running versions when a new one is broken, warns once, and loads it once it is fixed', async () => {
    begin();
    const folder = places.add(modelsDir, 'a');
    editManifest(folder, (manifest) => (manifest['format'] = 'other'));
    writeFileSync(registryPaths(modelsDir).current, '{"id":"a","sinceMs":1,"by":"promote"}');
    for (let i = 0; i < 5; i++) await second();
    expect([slots.defaultId, ids(), warnings()]).to.deep.equal(['base', ['base'], 2]);
    editManifest(folder, (manifest) => (manifest['format'] = 'tickmark-model/4'));
    await second();
    expect(slots.defaultId).to.equal('a');
  });

  it('keeps the version that answers when its folder breaks or goes, and when current.json breaks', async () => {
    begin();
    const folder = places.add(modelsDir, 'a');
    await promoteVersion(registry, 'a');
    await second();
    writeFileSync(path.join(folder, 'weights.bin'), 'x');
    await second();
    expect([slots.defaultId, ids()]).to.deep.equal(['a', ['base', 'a']]);
    rmSync(folder, { recursive: true });
    await second();
    writeFileSync(registryPaths(modelsDir).current, '{');
    await second();
    expect([slots.defaultId, ids(), warnings()]).to.deep.equal(['a', ['base', 'a'], 3]);
  });

  it('keeps everything while MODELS_DIR is gone, says so once, and follows it again after', async () => {
    places.add(modelsDir, 'a');
    begin();
    const away = path.join(places.root, 'away');
    renameSync(modelsDir, away);
    for (let i = 0; i < 3; i++) await second();
    expect([slots.defaultId, warnings()]).to.deep.equal(['base', 1]);
    renameSync(away, modelsDir);
    await promoteVersion(registry, 'a');
    editManifest(path.join(modelsDir, 'a'), () => {});
    await second();
    expect(slots.defaultId).to.equal('a');
  });

  it('leaves a pinned default alone, and makes new versions askable all the same', async () => {
    begin({ isPinned: true });
    places.add(modelsDir, 'a');
    await promoteVersion(registry, 'a');
    await second();
    expect([slots.defaultId, ids()]).to.deep.equal(['base', ['base', 'a']]);
  });

  it('never takes generated ticks for the default, nor a version under the name of one that ships', async () => {
    begin();
    places.add(modelsDir, 'toy', { synthetic: true });
    places.add(modelsDir, 'base', { createdAt: '2027-01-01T00:00:00.000Z' });
    writeFileSync(registryPaths(modelsDir).current, '{"id":"toy","sinceMs":1,"by":"promote"}');
    await second();
    expect([slots.defaultId, ids(), opened]).to.deep.equal(['base', ['base', 'toy'], ['toy']]);
  });

  it('loads nothing while nothing changes, and looks no more once it is closed', async () => {
    places.add(modelsDir, 'a');
    begin();
    await second();
    expect(opened).to.deep.equal([]);
    watch.close();
    places.add(modelsDir, 'b');
    await second();
    expect(opened).to.deep.equal([]);
  });
});
