import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { ServiceError } from '../../../../../src/core/ServiceError.ts';
import { FolderVersions } from '../../../../../src/engine/model/registry/FolderVersions.ts';
import { appendHistory } from '../../../../../src/engine/model/registry/history.ts';
import { promoteVersion } from '../../../../../src/engine/model/registry/promoteVersion.ts';
import type { Registry } from '../../../../../src/engine/model/registry/Registry.ts';
import { verifyVersions } from '../../../../../src/engine/model/registry/verifyVersions.ts';
import { FakeClock } from '../../../../support/FakeClock.ts';
import { editManifest, VersionFolders } from '../../../../support/versionFolders.ts';

describe('verifyVersions', () => {
  const folders = new VersionFolders();
  const { shippedDir, modelsDir } = folders;
  let golden: (id: string) => void = () => {};
  const registry: Registry = {
    shippedDir,
    versions: new FolderVersions(modelsDir, new FakeClock()),
    check: ({ manifest }) => golden(manifest.id),
  };
  const faults = async (): Promise<string> => {
    const verified = await verifyVersions(registry);
    return verified.flatMap(({ path: file, faults: found }) => found.map((fault) => `${path.basename(file)}: ${fault}`)).join('\n');
  };

  before(() => folders.open());
  beforeEach(() => {
    golden = () => {};
    folders.add(shippedDir, 'base');
    folders.add(modelsDir, 'a');
  });
  afterEach(() => folders.clear());

  it('reports no faults in both folders, with and without a promotion', async () => {
    expect(await faults()).to.equal('');
    await promoteVersion(registry, 'a');
    expect(await faults()).to.equal('');
    expect((await verifyVersions(registry)).map(({ path: file }) => path.basename(file))).to.deep.equal(['base', 'a', 'current.json']);
    rmSync(modelsDir, { recursive: true });
    expect(await faults()).to.equal('');
  });

  it('reports a changed manifest, a file that it does not name, a link, and wrong golden results', async () => {
    golden = (id) => {
      if (id === 'base') throw new ServiceError('model.refused', 'golden row 0 is off.');
    };
    writeFileSync(path.join(modelsDir, 'a', 'out-of-fold.json'), '[]');
    editManifest(folders.add(modelsDir, 'b'), (manifest) => (manifest['createdAt'] = 'yesterday'));
    symlinkSync(path.join(modelsDir, 'a'), path.join(modelsDir, 'c'));
    expect(await faults()).to.match(
      /^base: golden row 0 is off\.\na: out-of-fold\.json is not named by the manifest\.\nb: .*\/createdAt must match.*\nc: it is a link; links are not served\.$/,
    );
  });

  it('reports a current.json that names a missing version, and a history that contradicts it', async () => {
    await promoteVersion(registry, 'a');
    appendHistory(modelsDir, { id: 'base', previous: 'a', at: '', by: 'promote' });
    expect(await faults()).to.match(/history\.jsonl ends with base, but the default is a: a change was interrupted/);
    writeFileSync(path.join(modelsDir, 'history.jsonl'), 'x\n');
    expect(await faults()).to.match(/has broken lines: 1/);
    rmSync(path.join(modelsDir, 'a'), { recursive: true });
    expect(await faults()).to.match(/Unknown model "a"\. Known models: base/);
  });
});
