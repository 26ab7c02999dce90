import { expect } from 'chai';
import { openKernelHost } from '../../../../src/engine/inference/openKernelHost.ts';
import { KernelNetwork } from '../../../../src/engine/model/KernelNetwork.ts';
import type { ModelFolder } from '../../../../src/engine/model/modelFiles.ts';
import { openRuntime } from '../../../../src/engine/runtime/openRuntime.ts';
import { serviceErrorOf } from '../../../support/serviceErrorOf.ts';
import { goldenOf, randomBatch, randomWeights, SMALL_SPEC, smallManifest } from '../../../support/smallModel.ts';

describe('openKernelHost', () => {
  let version: ModelFolder;
  // Plain JavaScript makes the golden rows, so that the kernel is not compared with itself.
  before(async () => {
    await openRuntime('cpu');
    const weights = randomWeights(SMALL_SPEC, 7);
    version = { manifest: { ...smallManifest('one'), files: {} }, weights, golden: goldenOf(SMALL_SPEC, weights), card: '' };
  });
  const rowOf = (seed: number) => {
    const { sequence, context, baseline } = randomBatch(SMALL_SPEC, 1, seed);
    return { sequence, context, baseline: baseline[0] ?? 0, head: 0 };
  };

  it('answers the golden rows of a version within 1e-6', async () => {
    const host = await openKernelHost();
    await host.open('one', version);
    for (const { sequence, context, ...row } of version.golden.rows) {
      const inputs = { sequence: Float32Array.from(sequence), context: Float32Array.from(context) };
      const output = await host.infer('one', { ...inputs, baseline: row.baseline, head: row.head });
      expect(output.head).to.equal(row.head);
      for (const name of ['baselineLogit', 'residualLogit', 'directionLogit'] as const)
        expect(output[name], name).to.be.closeTo(row[name], 1e-6 * Math.max(1, Math.abs(row[name])));
    }
  });

  it('answers rows of two versions, and of an unknown one, that are asked for together', async () => {
    const host = await openKernelHost();
    for (const id of ['one', 'two']) await host.open(id, { ...version, manifest: { ...version.manifest, id } });
    const [first, second] = [rowOf(1), rowOf(2)];
    const [unknown, ...known] = await Promise.allSettled([host.infer('none', first), host.infer('one', first), host.infer('two', second)]);
    expect(unknown.status).to.equal('rejected');
    const alone = [await host.infer('one', first), await host.infer('two', second)];
    expect(known).to.deep.equal(alone.map((value) => ({ status: 'fulfilled', value })));
  });

  it('runs the rows of one turn together, one LSTM for each sequence, with the answers of each row alone', async () => {
    const host = await openKernelHost();
    await host.open('one', version);
    const [first, second] = [rowOf(1), rowOf(2)];
    const rows = [first, { ...first, context: second.context, head: 1 }, { ...first, baseline: 0.3 }, second];
    const alone: unknown[] = [];
    for (const row of rows) alone.push(await host.infer('one', row));
    const batches: { size: number; floats: number }[] = [];
    const { run } = KernelNetwork.prototype;
    KernelNetwork.prototype.run = function (this: KernelNetwork, batch) {
      batches.push({ size: batch.size, floats: batch.sequence.length });
      return run.call(this, batch);
    };
    try {
      expect(await Promise.all(rows.map((row) => host.infer('one', row)))).to.deep.equal(alone);
      expect(batches).to.deep.equal([{ size: 4, floats: 2 * first.sequence.length }]);
      const mixed = [first, { ...first, baseline: NaN }].map((row) => host.infer('one', row));
      const settled = await Promise.allSettled(mixed);
      expect(settled.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected']);
    } finally {
      KernelNetwork.prototype.run = run;
    }
  });

  it('refuses a version whose golden answers are off, a version that is not open, and a logit that is not finite', async () => {
    const host = await openKernelHost();
    const rows = version.golden.rows.map((row) => ({ ...row, residualLogit: row.residualLogit + 0.01 }));
    expect((await serviceErrorOf(host.open('bad', { ...version, golden: { rows } }))).code).to.equal('model.refused');
    expect((await serviceErrorOf(host.infer('bad', rowOf(1)))).code).to.equal('model.unknown');
    await host.open('one', version);
    expect((await serviceErrorOf(host.infer('one', { ...rowOf(1), baseline: NaN }))).code).to.equal('inference.failed');
    host.drop('one');
    expect((await serviceErrorOf(host.infer('one', rowOf(1)))).code).to.equal('model.unknown');
  });
});
