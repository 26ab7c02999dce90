import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect } from 'chai';
import { cliRun } from '../../../support/cliRun.ts';
import { VersionFolders } from '../../../support/versionFolders.ts';

describe('tickmark models', () => {
  const places = new VersionFolders();
  const { modelsDir } = places;
  const env = { MODELS_DIR: modelsDir, RUNTIME_BACKEND: 'wasm' };
  const models = (...argv: string[]) => cliRun(env, 'models', ...argv);
  const json = async (...argv: string[]) => JSON.parse((await models(...argv, '--json')).out) as Record<string, unknown>;

  before(() => places.open());
  beforeEach(() => {
    for (const id of ['a', 'b']) places.add(modelsDir, id);
  });
  afterEach(() => places.clear());

  it('shows the name of a refused folder without its control characters', async () => {
    mkdirSync(path.join(modelsDir, 'b\u001b[2J'));
    const { out } = await models('list');
    expect(out)
      .to.match(/^! refused: .*b\\u001b\[2J/m)
      .and.not.include('\u001b');
  });

  it('lists each version with its parent, gate result and horizons; * marks the default', async () => {
    const lineage = { kind: 'fine_tune', parent: 'a', code: '', seed: 1, data: [] } as const;
    places.add(modelsDir, 'c', { lineage, gate: { verdict: 'not_passed', against: 'a', summary: 'No.' } });
    await models('promote', 'b');
    const { out } = await models('list');
    expect(out).to.match(/^ {2}a {2}base, passed against the volatility baseline, made 2026-01-01T00:00:00\.000Z, horizons 5 to 2700 s$/m);
    expect(out)
      .to.match(/^\* b /m)
      .and.match(/^ {2}c {2}fine-tune of a, NOT passed against a,/m);
    const listed = await json('list');
    expect(listed['default']).to.equal('b');
    expect((listed['models'] as Record<string, unknown>[]).find(({ id }) => id === 'c')).to.deep.include({
      kind: 'fine_tune',
      parent: 'a',
    });
    expect((await models('show', 'c')).out).to.match(/^# Small model\n\nGate: NOT passed against a\. No\.\n$/);
    expect((await json('show', 'b'))['default']).to.equal(true);
  });

  it('promotes, reports the change, and rolls it back', async () => {
    expect((await models('promote', 'a')).out).to.match(/^a is the default; before: the shipped default\./);
    expect((await models('promote', 'a')).out).to.equal('a is already the default.\n');
    expect(await json('promote', 'b')).to.deep.equal({ id: 'b', previous: 'a', changed: true });
    expect((await models('rollback')).out).to.match(/^a is the default; before: b\./);
    expect(await json('rollback')).to.deep.equal({ id: null, previous: 'a', changed: true });
    expect(await models('rollback')).to.deep.include({ code: 1, out: '' });
  });

  it('ends with 1 and the reason where a version must not be promoted', async () => {
    places.add(modelsDir, 'toy', { synthetic: true });
    const { code, err } = await models('promote', 'toy', '--force');
    expect([code, err.includes('generated ticks: it cannot be promoted')]).to.deep.equal([1, true]);
    expect(err)
      .to.include('Train on ticks of a market')
      .and.not.match(/--force promotes|passes (its|the) (promotion )?gate/);
    expect(existsSync(path.join(modelsDir, 'current.json'))).to.equal(false);
  });

  it('says that MODEL pins another version', async () => {
    const { err } = await cliRun({ ...env, MODEL: 'a' }, 'models', 'promote', 'b');
    expect(err).to.include('MODEL=a is set');
  });

  it('verifies by exit code', async () => {
    expect(await models('verify')).to.deep.include({ code: 0, err: '' });
    writeFileSync(path.join(modelsDir, 'a', 'card.md'), 'changed');
    const { code, out } = await models('verify');
    expect([code, /^FAULT .*a: .*card\.md has SHA-256/m.test(out)]).to.deep.equal([1, true]);
    expect(await json('verify')).to.include({ inOrder: false });
  });

  it('prunes only with --yes', async () => {
    await models('promote', 'a');
    const { code, out } = await models('prune');
    expect([code, out.includes('would be removed: b'), out.includes('--yes')]).to.deep.equal([1, true, true]);
    expect(readFileSync(path.join(modelsDir, 'b', 'card.md'), 'utf8')).to.equal('# Small model\n');
    expect(await models('prune', '--keep', '0', '--yes')).to.deep.include({ code: 0, out: 'removed: b\nkept: a\n' });
    expect(existsSync(path.join(modelsDir, 'b'))).to.equal(false);
    expect(await models('prune')).to.deep.include({ code: 0, out: 'kept: a\nNothing to remove.\n' });
  });

  it('removes the older versions of a name with what it pushes, and takes that name for the newest', async () => {
    const trained = path.join(path.dirname(modelsDir), 'trained');
    for (const day of ['04', '11', '18']) {
      places.add(trained, `eu-2026-12-${day}`);
      expect((await models('push', path.join(trained, `eu-2026-12-${day}`))).out).to.match(/^eu-2026-12-\d\d is now in /);
    }
    places.add(trained, 'eu-2026-12-25');
    const pushed = await models('push', path.join(trained, 'eu-2026-12-25'), '--keep', '2');
    expect(pushed.out).to.match(/^removed: eu-2026-12-04\nremoved: eu-2026-12-11\neu-2026-12-25 is now in /);
    expect(await json('push', path.join(trained, 'eu-2026-12-25'), '--keep', '1')).to.deep.include({
      pushed: false,
      removed: ['eu-2026-12-18'],
    });
    expect((await json('show', 'eu'))['id']).to.equal('eu-2026-12-25');
    expect((await models('show', 'e')).err).to.include('Unknown model "e". Known models: ');
    expect((await models('push', 'eu-2026-12-25', '--keep', '0')).code).to.equal(2);
  });

  it('has examples in the help of every command', async () => {
    for (const command of ['promote', 'rollback', 'verify', 'prune']) expect((await models(command, '--help')).out).to.include('Examples:');
  });
});
