import { createHash } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import type { TrainedSpan } from '../../../src/engine/model/Lineage.ts';
import { loadModelFolder } from '../../../src/engine/model/loadModelFolder.ts';
import { syntheticTicks } from '../../../src/ticks/syntheticTicks.ts';
import type { TickSeries } from '../../../src/ticks/TickSeries.ts';
import { addSeen } from '../../../training/addSeen.ts';
import { failureOf, rewriteFile, VersionFolders } from '../../support/versionFolders.ts';
import { writeTicks } from '../../support/writeTicks.ts';

const COUNT = 3000;

describe('addSeen', () => {
  const folders = new VersionFolders();
  const series = new Map<string, TickSeries>();
  const fileOf = (name: string): string => path.join(folders.root, `${name}.csv`);
  let folder: string;

  const write = (name: string, seed: number): void => {
    const ticks = syntheticTicks({ seed, count: COUNT });
    writeTicks(fileOf(name), ticks);
    series.set(name, ticks);
  };
  /** The ticks of a file from one index to another, as training used them. */
  const spanOf = (name: string, from: number, to: number, by = 'a'): TrainedSpan => {
    const { timesUs } = series.get(name)!;
    const fileSha256 = createHash('sha256')
      .update(readFileSync(fileOf(name)))
      .digest('hex');
    return { name, group: name, fileSha256, by, fromUs: timesUs[from], toUs: timesUs[to - 1], days: [] };
  };
  const add = (data: readonly TrainedSpan[]): void => {
    folder = folders.add(folders.modelsDir, 'a', { lineage: { kind: 'base', parent: null, code: '1', seed: 1, data } });
  };
  /** Whether the version knows the ticks of a file from one index to another. */
  const knows = (name: string, from: number, to: number): boolean => {
    const { seen, manifest } = loadModelFolder(folder);
    const { timesUs, prices } = series.get(name)!;
    return seen!.includes({ timesUs: timesUs.slice(from, to), prices: prices.slice(from, to) }, manifest.lineage.data);
  };

  before(async () => {
    await folders.open();
    for (const [at, name] of ['one', 'two', 'other'].entries()) write(name, 3 + at);
  });
  afterEach(() => folders.clear());
  after(() => folders.close());

  it('makes a version know the ticks of its training, within their spans only', async () => {
    add([spanOf('one', 0, 2000), spanOf('two', 0, COUNT)]);
    expect(loadModelFolder(folder).seen).to.equal(undefined);
    const added = await addSeen(folder, ['one', 'two', 'other'].map(fileOf));
    expect(added).to.deep.equal({ used: ['one', 'two'], missing: [], unknown: ['other.csv'] });
    expect([knows('one', 500, 1000), knows('two', 2400, 2900)]).to.deep.equal([true, true]);
    expect([knows('one', 2200, 2700), knows('other', 500, 1000)]).to.deep.equal([false, false]);
  });

  it('samples each part of a file that the version and an ancestor used', async () => {
    add([spanOf('one', 0, 1000, 'parent'), spanOf('one', 2000, COUNT)]);
    expect(await addSeen(folder, [fileOf('one')])).to.deep.equal({ used: ['one', 'one'], missing: [], unknown: [] });
    expect([knows('one', 100, 900), knows('one', 1100, 1900), knows('one', 2100, 2900)]).to.deep.equal([true, false, true]);
  });

  it('names the series whose file is not given, and samples the others', async () => {
    add([spanOf('one', 0, COUNT), spanOf('two', 0, COUNT)]);
    expect(await addSeen(folder, [fileOf('one')])).to.deep.equal({ used: ['one'], missing: ['two'], unknown: [] });
    expect([knows('one', 0, 500), knows('two', 0, 500)]).to.deep.equal([true, false]);
  });

  it('leaves every other file and the rest of the manifest as they are', async () => {
    add([spanOf('one', 0, COUNT)]);
    rewriteFile(folder, 'report.html', '<p>report');
    const before = loadModelFolder(folder);
    await addSeen(folder, [fileOf('one')]);
    const { seen, ...after } = loadModelFolder(folder);
    const { 'model.json': oldHash, ...files } = before.manifest.files;
    const { 'model.json': newHash, ...newFiles } = after.manifest.files;
    expect([seen === undefined, oldHash === newHash]).to.deep.equal([false, false]);
    expect(newFiles).to.deep.equal(files);
    expect({ ...after.manifest, files }).to.deep.equal({ ...before.manifest, files });
    expect(readdirSync(folders.modelsDir)).to.deep.equal(['a']);
  });

  it('refuses a damaged version and leaves it as it is', async () => {
    add([spanOf('one', 0, COUNT)]);
    appendFileSync(path.join(folder, 'weights.bin'), 'x');
    const before = readFileSync(path.join(folder, 'model.json'), 'utf8');
    expect((await failureOf(() => addSeen(folder, [fileOf('one')]))).code).to.equal('model.refused');
    expect(readFileSync(path.join(folder, 'model.json'), 'utf8')).to.equal(before);
  });
});
