import { readdirSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { FolderVersions } from '../../../../../src/engine/model/registry/FolderVersions.ts';
import { promoteVersion } from '../../../../../src/engine/model/registry/promoteVersion.ts';
import { pruneVersions, type PruneOptions } from '../../../../../src/engine/model/registry/pruneVersions.ts';
import type { Registry } from '../../../../../src/engine/model/registry/Registry.ts';
import { registryPaths } from '../../../../../src/engine/model/registry/registryPaths.ts';
import { FakeClock } from '../../../../support/FakeClock.ts';
import { failureOf, VersionFolders } from '../../../../support/versionFolders.ts';

describe('pruneVersions', () => {
  const folders = new VersionFolders();
  const { shippedDir, modelsDir } = folders;
  const registry: Registry = { shippedDir, versions: new FolderVersions(modelsDir, new FakeClock()), check: () => {} };
  const prune = (over: Partial<PruneOptions> = {}) => pruneVersions(registry, { keep: 1, dryRun: false, ...over });
  const tuned = (parent: string) => ({ lineage: { kind: 'fine_tune', parent, code: '', seed: 1, data: [] } }) as const;

  before(() => folders.open());
  beforeEach(async () => {
    folders.add(shippedDir, 'base');
    for (const id of ['grandparent', 'first', 'second', 'third', 'never']) folders.add(modelsDir, id);
    folders.add(modelsDir, 'parent', tuned('grandparent'));
    folders.add(modelsDir, 'tuned', tuned('parent'));
    for (const id of ['first', 'second', 'third', 'tuned']) await promoteVersion(registry, id);
  });
  afterEach(() => folders.clear());

  it('keeps the default, the defaults before it, their ancestors, and shipped versions', async () => {
    const { removed, kept } = await prune();
    expect([removed, kept]).to.deep.equal([
      ['first', 'never', 'second'],
      ['grandparent', 'parent', 'third', 'tuned'],
    ]);
    expect(readdirSync(modelsDir).sort()).to.deep.equal([...kept, 'current.json', 'history.jsonl'].sort());
    expect(readdirSync(shippedDir)).to.deep.equal(['base']);
  });

  it('keeps the given number of earlier defaults, and pinned versions', async () => {
    expect((await prune({ keep: 2, dryRun: true })).removed).to.deep.equal(['first', 'never']);
    expect((await prune({ keep: 0, pinned: ['never'], dryRun: true })).removed).to.deep.equal(['first', 'second', 'third']);
  });

  it('removes nothing in a dry run', async () => {
    const before = readdirSync(modelsDir);
    expect((await prune({ dryRun: true })).removed).to.have.length(3);
    expect(readdirSync(modelsDir)).to.deep.equal(before);
  });

  it('keeps folders that are not complete versions', async () => {
    writeFileSync(path.join(modelsDir, 'never', 'manifest.json'), '{');
    expect(await prune()).to.deep.include({ leftAlone: ['never'], removed: ['first', 'second'] });
  });

  it('removes nothing if current.json or the history is broken', async () => {
    const { current, history } = registryPaths(modelsDir);
    const before = readdirSync(modelsDir);
    writeFileSync(history, 'x\n');
    expect((await failureOf(prune)).code).to.equal('model.refused');
    writeFileSync(current, '{');
    expect((await failureOf(prune)).code).to.equal('model.refused');
    expect(readdirSync(modelsDir)).to.deep.equal(before);
  });
});
