import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { loadModelFolder } from '../../../../src/engine/model/loadModelFolder.ts';
import { smallInputs } from '../../../support/smallInputs.ts';
import { editManifest, failureOf, rewriteFile, VersionFolders } from '../../../support/versionFolders.ts';

type Entry = { name: string; shape: unknown; dtype: string };

/** Row 48 of docs/explanation/reliability.md: each is refused with its code, without reading or allocating anything large. */
describe('a hostile model folder', () => {
  const folders = new VersionFolders();
  let folder: string;
  const topology = (): { weightsManifest: { weights: Entry[] }[] } =>
    JSON.parse(readFileSync(path.join(folder, 'model.json'), 'utf8')) as ReturnType<typeof topology>;
  const editTopology = (edit: (weights: Entry[]) => unknown): void => {
    const changed = topology();
    edit(changed.weightsManifest[0]?.weights ?? []);
    rewriteFile(folder, 'model.json', JSON.stringify(changed));
  };
  const seenTicks = (value: unknown): void =>
    rewriteFile(folder, 'model.json', JSON.stringify({ ...topology(), userDefinedMetadata: { seenTicks: value } }));
  const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const extra = (name: string, hash = '0'.repeat(64)): void =>
    editManifest(folder, (manifest) => ((manifest['files'] as Record<string, string>)[name] = hash));
  const set = (part: string, key: string, value: unknown): void =>
    editManifest(folder, (manifest) => ((manifest[part] as Record<string, unknown>)[key] = value));

  const inputs = (column: object, over: object = {}): void => {
    const { columns, ...rest } = smallInputs();
    const [first, ...others] = columns;
    rewriteFile(folder, 'inputs.json', JSON.stringify({ ...rest, columns: [{ ...first, ...column }, ...others], ...over }));
  };

  before(() => folders.open());
  beforeEach(() => void (folder = folders.add(folders.modelsDir, 'a')));
  afterEach(() => folders.clear());

  const cases: [string, () => unknown, RegExp][] = [
    [
      'a market of an earlier release',
      () => rewriteFile(folder, 'market.json', '{}'),
      /a: market\.json: a version of tickmark train --market\. None is served any more.* Serve a base, and name your series/,
    ],
    ['a wrong hash', () => extra('weights.bin'), /weights\.bin has SHA-256/],
    ['truncated weights', () => truncateSync(path.join(folder, 'weights.bin'), 100), /weights\.bin has SHA-256/],
    ['truncated weights with a matching hash', () => rewriteFile(folder, 'weights.bin', Buffer.alloc(100)), /weights\.bin ends inside/],
    [
      'a path outside of the folder among its files',
      () => extra('../../etc/passwd'),
      /files must NOT have additional properties such as "\.\.\//,
    ],
    ['an absolute path among its files', () => extra('/etc/passwd'), /additional properties/],
    ['an unknown file among its files', () => extra('run.sh'), /additional properties/],
    ['a missing report', () => extra('report.html'), /report\.html cannot be read/],
    [
      'a report with a different hash',
      () => (writeFileSync(path.join(folder, 'report.html'), 'x'), extra('report.html')),
      /report\.html has SHA/,
    ],
    [
      'a head with a window that no request may have',
      () => editManifest(folder, (manifest) => ((manifest['heads'] as { ticks: number }[])[0].ticks = 4000)),
      /\/heads\/0\/ticks must be <= 3000/,
    ],
    ['an id that leads outside', () => editManifest(folder, (manifest) => (manifest['id'] = '../a')), /\/id must match/],
    ['the id of another folder', () => editManifest(folder, (manifest) => (manifest['id'] = 'b')), /has the id b/],
    ['a huge network', () => set('network', 'dense', 1e12), /network\/dense must be <=/],
    ['shapes that do not match its network', () => set('network', 'units', 7), /weight lstm\/kernel is/],
    ['a weight with a huge shape', () => editTopology((weights) => (weights[0].shape = [1e9, 1e9])), /weight lstm\/kernel is/],
    ['a shape with many axes', () => editTopology((weights) => (weights[0].shape = Array(50).fill(1))), /shape must NOT have more/],
    ['a weight named twice', () => editTopology((weights) => weights.push(weights[0])), /names the weight lstm\/kernel twice/],
    ['weights that are not a list', () => rewriteFile(folder, 'model.json', '{"weightsManifest":[null]}'), /must be object/],
    ['deeply nested JSON', () => rewriteFile(folder, 'model.json', `{"weightsManifest":${deep(1e6)}}`), /must be object/],
    ['a deeply nested shape', () => editTopology((weights) => (weights[0].shape = JSON.parse(deep(1000)))), /must be integer/],
    ['a deeply nested manifest', () => writeFileSync(path.join(folder, 'manifest.json'), deep(1e6)), /manifest\.json must be object/],
    [
      'a manifest of many megabytes',
      () => editManifest(folder, (manifest) => (manifest['x'] = 'y'.repeat(9e6))),
      /manifest\.json has \d+ bytes, more than/,
    ],
    [
      'a manifest with a prototype',
      () => writeFileSync(path.join(folder, 'manifest.json'), '{"__proto__":{"id":"a"}}'),
      /manifest\.json must/,
    ],
    ['no lineage', () => editManifest(folder, (manifest) => delete manifest['lineage']), /must have required property 'lineage'/],
    ['a fine-tune without a parent', () => set('lineage', 'kind', 'fine_tune'), /must name its parent/],
    ['an unknown gate result', () => set('gate', 'verdict', 'splendid'), /verdict must be equal to one of/],
    [
      'the format of an older program',
      () => editManifest(folder, (manifest) => (manifest['format'] = 'tickmark-model/2')),
      /tickmark-model\/2, is from an older tickmark .* card\.md/,
    ],
    [
      'weights that contradict a zero residual',
      () => editManifest(folder, (manifest) => ((manifest['heads'] as { residual: string }[])[1].residual = 'zero')),
      /head h3m declares a zero residual/,
    ],
    ['missing inputs', () => extra('inputs.json'), /inputs\.json cannot be read/],
    ['inputs that are not JSON', () => rewriteFile(folder, 'inputs.json', '{"rows":NaN}'), /inputs\.json is not valid JSON/],
    ['inputs of another format', () => inputs({}, { format: 'x' }), /inputs\.json\/format must be equal/],
    ['inputs with 0 rows', () => inputs({}, { rows: 0 }), /inputs\.json\/rows must be >= 1/],
    ['inputs with too few columns', () => inputs({}, { columns: [] }), /columns must NOT have fewer/],
    ['inputs with an unexpected column', () => inputs({ name: 'roll' }), /columns\/0 is not volatility_30_theta/],
    ['fewer shares than bins', () => inputs({ edges: [0, 1] }), /columns\/0 has 2 edges and 2 shares/],
    ['an edge that is not a number', () => inputs({ edges: [null] }), /edges\/0 must be number/],
    [
      'an edge beyond the range of doubles',
      () => rewriteFile(folder, 'inputs.json', JSON.stringify(smallInputs()).replace('[0]', '[1e999]')),
      /edges\/0 must be number/,
    ],
    ['an edge beyond the range of 32-bit floats', () => inputs({ edges: [1e300] }), /edges that are not finite/],
    ['edges that do not ascend', () => inputs({ edges: [1, 0], shares: [0.2, 0.3, 0.5] }), /do not ascend/],
    ['two edges that are equal as 32-bit floats', () => inputs({ edges: [1, 1 + 1e-12], shares: [0.2, 0.3, 0.5] }), /do not ascend/],
    ['many edges', () => inputs({ edges: Array.from({ length: 500 }, (_, i) => i) }), /edges must NOT have more/],
    ['shares with a sum below 1', () => inputs({ shares: [0.2, 0.3] }), /shares that sum to 0\.5/],
    ['a share below 0', () => inputs({ shares: [-0.5, 1.5] }), /shares\/0 must be >= 0/],
    ['deeply nested inputs', () => rewriteFile(folder, 'inputs.json', deep(1e5)), /inputs\.json must be object/],
    ['a sample of ticks of another format', () => seenTicks({ format: 'x' }), /seenTicks is not a sample/],
    ['a sample of ticks that is null', () => seenTicks(null), /seenTicks is not a sample/],
    ['its manifest as one of its files', () => extra('manifest.json'), /files must NOT have additional properties/],
    ['a hidden file', () => extra('.env'), /files must NOT have additional properties/],
    ['a missing file of a later release', () => extra('later.json'), /later\.json cannot be read/],
    ['a file of a later release without a hash', () => extra('later.json', 'x'), /files\/later\.json must match pattern/],
    [
      'hundreds of files',
      () => Array.from({ length: 300 }, (_, at) => extra(`later${at}.json`)),
      /files must NOT have more than 32 properties/,
    ],
    [
      'huge inputs',
      () => rewriteFile(folder, 'inputs.json', JSON.stringify(smallInputs()) + ' '.repeat(300_000)),
      /inputs\.json has \d+ bytes, more than/,
    ],
  ];
  for (const [what, spoil, reason] of cases)
    it(`is refused with ${what}`, async () => {
      spoil();
      const { code, message } = await failureOf(() => loadModelFolder(folder));
      expect([code, message]).to.deep.equal(['model.refused', message]);
      expect(message).to.match(reason).and.have.length.below(600);
    });

  it('is refused if it or one of its files is a link', async () => {
    const outside = path.join(folders.root, 'outside');
    renameSync(path.join(folder, 'golden.json'), outside);
    symlinkSync(outside, path.join(folder, 'golden.json'));
    expect((await failureOf(() => loadModelFolder(folder))).message).to.match(/golden\.json is not a regular file/);
    rmSync(folder, { recursive: true });
    symlinkSync(path.join(folders.root, 'template'), folder);
    expect((await failureOf(() => loadModelFolder(folder))).message).to.match(/it is not a folder/);
  });

  it('is refused if a file is a pipe, without waiting for its other end', async () => {
    rmSync(path.join(folder, 'manifest.json'));
    execFileSync('mkfifo', [path.join(folder, 'manifest.json')]);
    expect((await failureOf(() => loadModelFolder(folder))).message).to.match(/manifest\.json is not a regular file/);
  });

  it('is refused if it does not exist', async () => {
    expect(await failureOf(() => loadModelFolder(path.join(folders.modelsDir, 'none')))).to.include({ code: 'model.refused' });
  });
});
