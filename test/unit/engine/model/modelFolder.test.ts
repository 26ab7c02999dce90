import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { addVersionFile, saveModelFolder } from '../../../../src/engine/model/saveModelFolder.ts';
import { loadCatalog } from '../../../../src/engine/model/loadCatalog.ts';
import { loadModelFolder } from '../../../../src/engine/model/loadModelFolder.ts';
import type { ModelManifest } from '../../../../src/engine/model/ModelManifest.ts';
import { sizeOf, WEIGHT_NAMES, weightShapes } from '../../../../src/engine/model/NetworkWeights.ts';
import { openRuntime } from '../../../../src/engine/runtime/openRuntime.ts';
import { smallInputs } from '../../../support/smallInputs.ts';
import { goldenOf, randomWeights, SMALL_SPEC, smallManifest } from '../../../support/smallModel.ts';
import { TEST_BACKEND } from '../../../support/testBackend.ts';
import { rewriteFile } from '../../../support/versionFolders.ts';

describe('a model folder', () => {
  let parent: string;
  const weights = randomWeights(SMALL_SPEC, 7);
  const save = (id: string, over: Partial<ModelManifest> = {}) =>
    saveModelFolder(parent, { manifest: smallManifest(id, over), weights, golden: goldenOf(SMALL_SPEC, weights), card: '# card\n' });
  const refusal = (act: () => unknown): string => {
    try {
      act();
    } catch (error) {
      expect(error).to.be.instanceOf(ServiceError);
      expect((error as ServiceError).code).to.equal('model.refused');
      return (error as ServiceError).message;
    }
    throw new Error('was not refused');
  };
  /** Changes the weights and their hash, so that only the check of the content can detect it. */
  const withFloat = async (value: number, offset: number): Promise<string> => {
    await save('a-1');
    const bytes = Buffer.from(readFileSync(path.join(parent, 'a-1', 'weights.bin')));
    bytes.writeFloatLE(value, offset);
    rewriteFile(path.join(parent, 'a-1'), 'weights.bin', bytes);
    return refusal(() => loadModelFolder(path.join(parent, 'a-1')));
  };

  before(() => openRuntime(TEST_BACKEND));
  beforeEach(() => {
    parent = mkdtempSync(path.join(tmpdir(), 'tickmark-models-'));
  });
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  it('is loaded as it was saved', async () => {
    const manifest = await save('a-1');
    const loaded = loadModelFolder(path.join(parent, 'a-1'));
    expect(loaded.manifest).to.deep.equal(manifest);
    expect(loaded.card).to.equal('# card\n');
    for (const name of WEIGHT_NAMES) expect([...loaded.weights[name]]).to.deep.equal([...weights[name]]);
  });

  it('returns the distribution of its inputs if it has the file', async () => {
    await save('a-1');
    expect(loadModelFolder(path.join(parent, 'a-1')).inputs).to.equal(undefined);
    const before = readFileSync(path.join(parent, 'a-1', 'weights.bin'));
    addVersionFile(path.join(parent, 'a-1'), 'inputs.json', JSON.stringify(smallInputs()));
    const { inputs, manifest } = loadModelFolder(path.join(parent, 'a-1'));
    expect(inputs).to.deep.equal(smallInputs());
    expect(Object.keys(manifest.files)).to.have.length(5);
    expect(readFileSync(path.join(parent, 'a-1', 'weights.bin')).equals(before)).to.equal(true);
  });

  it('is refused with a weight that is not finite, and with one that connects a head to the adapter of another head', async () => {
    expect(await withFloat(NaN, 8)).to.match(/not finite/);
    const shapes = weightShapes(SMALL_SPEC);
    const before = WEIGHT_NAMES.slice(0, WEIGHT_NAMES.indexOf('opportunity/kernel'));
    const start = before.reduce((sum, name) => sum + sizeOf(shapes[name]), 0);
    rmSync(path.join(parent, 'a-1'), { recursive: true });
    // Row of the first adapter, which is head 0's; column of head 1.
    expect(await withFloat(0.5, 4 * (start + SMALL_SPEC.dense * SMALL_SPEC.heads + 1))).to.match(
      /opportunity\/kernel connects a head to the adapter of another/,
    );
  });

  it('is refused with columns of another program', async () => {
    await save('a-1', { contextColumns: smallManifest('x').contextColumns.map((name, i) => (i === 0 ? 'other' : name)) });
    expect(refusal(() => loadModelFolder(path.join(parent, 'a-1')))).to.match(/context columns/);
  });

  it('is the default if it is the newest shipped version that is not synthetic', async () => {
    await save('base-1', { createdAt: '2026-01-01T00:00:00.000Z' });
    await save('base-2', { createdAt: '2026-02-01T00:00:00.000Z' });
    await save('toy', { createdAt: '2026-03-01T00:00:00.000Z', synthetic: true });
    const catalog = loadCatalog([parent], '');
    expect(catalog.defaultId).to.equal('base-2');
    expect(catalog.versions.map(({ manifest }) => manifest.id)).to.deep.equal(['base-1', 'base-2', 'toy']);
    expect(loadCatalog([parent], 'toy').defaultId).to.equal('toy');
  });

  it('is skipped if it is broken, unless it is the wanted one', async () => {
    await save('base-1');
    await save('base-2');
    writeFileSync(path.join(parent, 'base-2', 'manifest.json'), '{');
    const catalog = loadCatalog([parent], '');
    expect(catalog.defaultId).to.equal('base-1');
    expect(catalog.refused.map(({ folder }) => path.basename(folder))).to.deep.equal(['base-2']);
    expect(refusal(() => loadCatalog([parent], 'base-2'))).to.match(/not valid JSON/);
    expect(refusal(() => loadCatalog([parent], 'nothing'))).to.match(/no such version/);
  });
});
