import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { ServiceError } from '../../../../../src/core/ServiceError.ts';
import { FolderVersions } from '../../../../../src/engine/model/registry/FolderVersions.ts';
import { loadCatalog } from '../../../../../src/engine/model/loadCatalog.ts';
import { currentIdOf } from '../../../../../src/engine/model/registry/currentVersion.ts';
import { appendHistory, readHistory } from '../../../../../src/engine/model/registry/history.ts';
import { promoteVersion, rollbackVersion } from '../../../../../src/engine/model/registry/promoteVersion.ts';
import type { Registry } from '../../../../../src/engine/model/registry/Registry.ts';
import { registryPaths } from '../../../../../src/engine/model/registry/registryPaths.ts';
import { FakeClock } from '../../../../support/FakeClock.ts';
import { failureOf, rewriteFile, VersionFolders } from '../../../../support/versionFolders.ts';

describe('promotion and rollback', () => {
  const folders = new VersionFolders();
  const { shippedDir, modelsDir } = folders;
  const files = registryPaths(modelsDir);
  const broken = new Set<string>();
  const registry: Registry = {
    shippedDir,
    versions: new FolderVersions(modelsDir, new FakeClock()),
    check: ({ manifest: { id } }) => {
      if (broken.has(id)) throw new ServiceError('model.refused', `${id} gives other answers than its golden ones.`);
    },
  };
  const promote = (id: string, force = false) => promoteVersion(registry, id, { force });
  const rollback = () => rollbackVersion(registry);
  const defaultId = (): string => loadCatalog([shippedDir, modelsDir], '').defaultId;

  before(() => folders.open());
  beforeEach(() => {
    broken.clear();
    folders.add(shippedDir, 'base', { gate: { verdict: 'not_judged', against: null, summary: '' } });
    for (const id of ['a', 'b']) folders.add(modelsDir, id);
  });
  afterEach(() => folders.clear());

  it('makes a version the default and records the change in the history', async () => {
    expect(defaultId()).to.equal('base');
    expect(await promote('a')).to.deep.equal({ id: 'a', previous: null, changed: true });
    expect(defaultId()).to.equal('a');
    expect(JSON.parse(readFileSync(files.current, 'utf8'))).to.deep.equal({ id: 'a', sinceMs: Date.UTC(2024, 0, 1), by: 'promote' });
    expect(readFileSync(files.history, 'utf8')).to.equal('{"id":"a","previous":null,"at":"2024-01-01T00:00:00.000Z","by":"promote"}\n');
    expect(readdirSync(modelsDir).sort()).to.deep.equal(['a', 'b', 'current.json', 'history.jsonl']);
  });

  it('refuses a version whose result was recorded for other files', async () => {
    for (const name of ['weights.bin', 'model.json', 'golden.json', 'card.md']) {
      folders.add(modelsDir, 'a');
      appendFileSync(path.join(modelsDir, 'a', name), ' ');
      expect((await failureOf(() => promote('a'))).code, name).to.equal('model.refused');
    }
    expect(defaultId()).to.equal('base');
  });

  it('rolls back promotions one by one to the shipped default, and then refuses', async () => {
    await promote('a');
    await promote('b');
    expect(await rollback()).to.deep.equal({ id: 'a', previous: 'b', changed: true });
    expect(defaultId()).to.equal('a');
    expect(await rollback()).to.deep.include({ id: null, previous: 'a' });
    expect(defaultId()).to.equal('base');
    expect((await failureOf(rollback)).code).to.equal('model.no_way_back');
    await promote('b');
    expect(await rollback()).to.deep.include({ id: null });
  });

  it('changes nothing if the version is already the default', async () => {
    await promote('a');
    expect(await promote('a')).to.deep.include({ changed: false });
    expect(readFileSync(files.history, 'utf8').split('\n')).to.have.length(2);
  });

  it('promotes a shipped version without a gate, and a version that did not pass only with force', async () => {
    const gate = { verdict: 'not_passed', against: 'base', summary: 'Not better at 60 s.' } as const;
    folders.add(modelsDir, 'worse', { gate });
    const { code, message } = await failureOf(() => promote('worse'));
    expect([code, message]).to.deep.equal(['model.not_promotable', 'worse did not pass the promotion gate: Not better at 60 s.']);
    expect(existsSync(files.history)).to.equal(false);
    expect(await promote('worse', true)).to.include({ changed: true });
    expect(await promote('base')).to.include({ changed: true });
    folders.add(modelsDir, 'ungated', { gate: { ...gate, verdict: 'not_judged' } });
    expect((await failureOf(() => promote('ungated'))).code).to.equal('model.not_promotable');
  });

  it('never promotes a version trained on generated ticks, and never uses one as the default', async () => {
    folders.add(modelsDir, 'toy', { synthetic: true });
    for (const force of [false, true])
      expect((await failureOf(() => promote('toy', force))).message).to.include('it cannot be promoted, with or without --force');
    writeFileSync(files.current, '{"id":"toy","sinceMs":1,"by":"promote"}');
    const catalog = loadCatalog([shippedDir, modelsDir], '');
    expect([catalog.defaultId, catalog.refused[0]?.error.code]).to.deep.equal(['base', 'model.not_promotable']);
  });

  it('refuses an id that leads elsewhere, and an unknown, a broken and a wrong version, without a change', async () => {
    for (const id of ['../own/a', 'none', '', '.a']) expect((await failureOf(() => promote(id))).code, id).to.equal('model.unknown');
    broken.add('a');
    expect((await failureOf(() => promote('a', true))).message).to.include('golden');
    rewriteFile(path.join(modelsDir, 'b'), 'weights.bin', 'short');
    expect((await failureOf(() => promote('b', true))).code).to.equal('model.refused');
    expect([existsSync(files.current), existsSync(files.history)]).to.deep.equal([false, false]);
  });

  it('does not roll back to a missing or broken version, and changes nothing', async () => {
    await promote('a');
    await promote('b');
    const before = [readFileSync(files.current, 'utf8'), readFileSync(files.history, 'utf8')];
    broken.add('a');
    expect((await failureOf(rollback)).code).to.equal('model.refused');
    rmSync(path.join(modelsDir, 'a'), { recursive: true });
    expect((await failureOf(rollback)).code).to.equal('model.unknown');
    expect([readFileSync(files.current, 'utf8'), readFileSync(files.history, 'utf8')]).to.deep.equal(before);
  });

  it('ignores a history line whose change was never made, and continues after it', async () => {
    await promote('a');
    appendHistory(modelsDir, { id: 'b', previous: 'a', at: '2024-01-01T00:00:01.000Z', by: 'promote' });
    expect(readHistory(modelsDir, currentIdOf(modelsDir)).unfinished).to.deep.include({ id: 'b' });
    await promote('b');
    expect(readHistory(modelsDir, 'b').unfinished).to.equal(null);
    expect(readHistory(modelsDir, 'b').entries.map(({ id, previous }) => [id, previous])).to.deep.equal([
      ['a', null],
      ['b', 'a'],
    ]);
    expect(await rollback()).to.deep.include({ id: 'a' });
  });

  it('drops a truncated line, and reports a broken one', async () => {
    await promote('a');
    appendFileSync(files.history, '{"id":"b","prev');
    expect(readHistory(modelsDir, 'a').broken).to.deep.equal([2]);
    await promote('b');
    expect(readHistory(modelsDir, 'b')).to.deep.include({ broken: [], unfinished: null });
    appendFileSync(files.history, '{"id":"../x","previous":null,"at":"","by":"promote"}\n');
    expect(readHistory(modelsDir, 'b').broken).to.deep.equal([3]);
  });

  it('uses the shipped default and reports it if current.json is broken; a promotion writes the file again', async () => {
    const spoiled = [
      '',
      '{',
      '[]',
      'null',
      '{"id":"../x","sinceMs":1,"by":"promote"}',
      '{"id":"none","sinceMs":1,"by":"promote"}',
      'x'.repeat(1e5),
    ];
    for (const text of spoiled) {
      writeFileSync(files.current, text);
      const catalog = loadCatalog([shippedDir, modelsDir], '');
      expect([catalog.defaultId, catalog.refused.map(({ folder }) => folder)], text).to.deep.equal(['base', [files.current]]);
    }
    rmSync(files.current);
    mkdirSync(files.current);
    expect(loadCatalog([shippedDir, modelsDir], '').defaultId).to.equal('base');
    rmSync(files.current, { recursive: true });
    writeFileSync(files.current, '{');
    await promote('a');
    expect(defaultId()).to.equal('a');
  });

  it('does not override the wanted version', async () => {
    await promote('a');
    expect(loadCatalog([shippedDir, modelsDir], 'b').defaultId).to.equal('b');
  });
});
