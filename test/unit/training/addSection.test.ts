import { cpSync, readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../../src/core/packageRoot.ts';
import { loadModelFolder } from '../../../src/engine/model/loadModelFolder.ts';
import { addSection } from '../../../training/addSection.ts';
import { VersionFolders } from '../../support/versionFolders.ts';

describe('addSection', () => {
  const folders = new VersionFolders();
  before(() => folders.open());

  it('writes a section before the data, or in place of the one with its heading, and changes no other file', async () => {
    const shipped = path.join(packageRoot(), 'models');
    const [id = ''] = readdirSync(shipped);
    const folder = path.join(folders.modelsDir, id);
    cpSync(path.join(shipped, id), folder, { recursive: true });
    const textOf = (name: string): string => readFileSync(path.join(folder, name), 'latin1');
    const others = readdirSync(folder).filter((name) => name !== 'card.md' && name !== 'manifest.json');
    const before = others.map(textOf);
    const { card } = loadModelFolder(folder);
    await addSection(folder, '## A section\n\nFirst.');
    await addSection(folder, '## A section\n\nSecond.\n');
    expect(loadModelFolder(folder).card).to.equal(card.replace('## Data', '## A section\n\nSecond.\n\n## Data'));
    expect(others.map(textOf)).to.deep.equal(before);
    await addSection(folder, 'No heading').then(
      () => expect.fail('it was taken'),
      (error: unknown) => expect(error).to.have.property('code', 'command.invalid'),
    );
  });
});
