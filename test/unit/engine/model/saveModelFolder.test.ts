import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { loadModelFolder } from '../../../../src/engine/model/loadModelFolder.ts';
import { saveModelFolder, type SaveOptions } from '../../../../src/engine/model/saveModelFolder.ts';
import { openRuntime } from '../../../../src/engine/runtime/openRuntime.ts';
import { goldenOf, randomWeights, SMALL_SPEC, smallManifest } from '../../../support/smallModel.ts';
import { failureOf, VersionFolders } from '../../../support/versionFolders.ts';

describe('saveModelFolder', () => {
  const folders = new VersionFolders();
  const weights = randomWeights(SMALL_SPEC, 7);
  const parent = folders.modelsDir;
  const save = (options: SaveOptions = {}, card = '# card\n') => {
    const extra = { 'report.html': '<p>report', 'out-of-fold.json': '[]' };
    return saveModelFolder(parent, { manifest: smallManifest('a'), weights, golden: goldenOf(SMALL_SPEC, weights), card, extra }, options);
  };
  const fullDisk = (file: string, bytes: Uint8Array): void => {
    writeFileSync(file, bytes.subarray(0, 10));
    if (file.endsWith('weights.bin')) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  };

  before(() => openRuntime('cpu'));
  afterEach(() => folders.clear());

  it('writes report and out-of-fold predictions with their hashes', async () => {
    const { files } = await save();
    expect(files['report.html']).to.equal(createHash('sha256').update('<p>report').digest('hex'));
    expect(files).to.have.property('out-of-fold.json');
    expect(loadModelFolder(path.join(parent, 'a')).manifest.files).to.deep.equal(files);
    expect(readdirSync(parent)).to.deep.equal(['a']);
  });

  it('reports a full disk, leaves no draft, and keeps the existing version', async () => {
    await save();
    const { code, message } = await failureOf(() => save({ replace: true, write: fullDisk }));
    expect([code, /ENOSPC/.test(message)]).to.deep.equal(['file.unwritable', true]);
    expect(readdirSync(parent)).to.deep.equal(['a']);
    expect(loadModelFolder(path.join(parent, 'a')).card).to.equal('# card\n');
  });

  it('replaces a version only if told to', async () => {
    await save();
    expect(await failureOf(() => save())).to.deep.include({ code: 'file.unwritable' });
    await save({ replace: true }, '# new\n');
    expect(readdirSync(parent)).to.deep.equal(['a']);
    expect(readFileSync(path.join(parent, 'a', 'card.md'), 'utf8')).to.equal('# new\n');
  });

  it('fails with its code if the parent is a file', async () => {
    writeFileSync(parent, '');
    expect((await failureOf(() => save())).code).to.equal('file.unwritable');
    expect(existsSync(path.join(parent, 'a'))).to.equal(false);
  });
});
