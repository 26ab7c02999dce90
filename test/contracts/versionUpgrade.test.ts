import { readdirSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../src/core/packageRoot.ts';
import { loadModelFolder } from '../../src/engine/model/loadModelFolder.ts';
import { SeenTicksWriter } from '../../training/data/SeenTicksWriter.ts';
import { syntheticTicks } from '../../src/ticks/syntheticTicks.ts';
import { BEFORE_SEEN_TICKS, hasCommit, versionLoader } from '../support/openRelease.ts';
import { saveSmallModel } from '../support/saveSmallModel.ts';
import { VersionFolders } from '../support/versionFolders.ts';

describe(`a version of this release in the one ${BEFORE_SEEN_TICKS.name}`, () => {
  const folders = new VersionFolders();

  before(function () {
    if (hasCommit(BEFORE_SEEN_TICKS)) return;
    process.stdout.write(`    skipped: the git history has no commit ${BEFORE_SEEN_TICKS.commit} (a shallow clone, or no clone)\n`);
    this.skip();
  });

  it('is loaded with the same manifest and weights', async () => {
    const ticks = syntheticTicks({ seed: 3, count: 2000 });
    const writer = new SeenTicksWriter();
    writer.add(ticks, { fromUs: 0, toUs: Infinity });
    await saveSmallModel(folders.modelsDir, 'a', {}, 7, {}, writer.json());
    const folder = path.join(folders.modelsDir, 'a');
    const now = loadModelFolder(folder);
    expect(now.seen?.hashes).to.have.length.above(10);
    const { manifest, weights } = (await versionLoader(BEFORE_SEEN_TICKS))(folder);
    expect(manifest).to.deep.equal(now.manifest);
    expect(weights).to.deep.equal(now.weights);
  });

  it('is loaded where it is a shipped one', async () => {
    const load = await versionLoader(BEFORE_SEEN_TICKS);
    const shipped = path.join(packageRoot(), 'models');
    for (const id of readdirSync(shipped)) expect(load(path.join(shipped, id)).manifest.id).to.equal(id);
  });
});
