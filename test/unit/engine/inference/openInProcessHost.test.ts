import { expect } from 'chai';
import * as tf from '@tensorflow/tfjs-core';
import type { ServiceError } from '../../../../src/core/ServiceError.ts';
import { openInProcessHost } from '../../../../src/engine/inference/openInProcessHost.ts';
import type { ModelFolder } from '../../../../src/engine/model/modelFiles.ts';
import type { LstmShape } from '../../../../src/engine/runtime/lstm/LstmProgram.ts';
import type { LstmTuning } from '../../../../src/engine/runtime/Runtime.ts';
import { openRuntime } from '../../../../src/engine/runtime/openRuntime.ts';
import { goldenOf, randomBatch, randomWeights, SMALL_SPEC, smallManifest } from '../../../support/smallModel.ts';
import { TEST_BACKEND } from '../../../support/testBackend.ts';

describe('openInProcessHost', () => {
  before(() => openRuntime(TEST_BACKEND));

  const versionOf = (id: string, over: Partial<ModelFolder> = {}): ModelFolder => {
    const weights = randomWeights(SMALL_SPEC, 7);
    const manifest = { ...smallManifest(id), files: {} };
    return { manifest, weights, golden: goldenOf(SMALL_SPEC, weights), card: '', ...over };
  };
  const rowOf = (seed: number, head = 0) => {
    const { sequence, context, baseline } = randomBatch(SMALL_SPEC, 1, seed);
    return { sequence, context, baseline: baseline[0] ?? 0, head };
  };
  async function failure(run: () => unknown): Promise<ServiceError> {
    try {
      await run();
    } catch (error) {
      return error as ServiceError;
    }
    throw new Error('it did not fail');
  }

  it('answers a row by the head of its bucket, and leaves no tensor behind when it is closed', async () => {
    const before = tf.memory().numTensors;
    const version = versionOf('one');
    const host = openInProcessHost([version]);
    for (const [head, golden] of version.golden.rows.entries()) {
      const output = await host.infer('one', {
        sequence: Float32Array.from(golden.sequence),
        context: Float32Array.from(golden.context),
        baseline: golden.baseline,
        head,
      });
      expect(output.head).to.equal(head);
      expect(output.residualLogit).to.be.closeTo(golden.residualLogit, 1e-5);
    }
    await host.close();
    expect(tf.memory().numTensors).to.equal(before);
  });

  it('measures each batch size once a shape, and asks the runtime to', async () => {
    const shapes: string[] = [];
    const tune = (shape: LstmShape): LstmTuning => {
      shapes.push(Object.values(shape).join());
      return { ...shape, chosen: 'simd', timesMs: { simd: 1 }, refused: {} };
    };
    const host = openInProcessHost([versionOf('one'), versionOf('two')], { tune });
    const { steps, sequenceColumns, units } = SMALL_SPEC;
    expect(shapes).to.deep.equal(host.warmed.map(({ batch }) => [batch, steps, sequenceColumns, units].join()));
    expect(host.warmed[0]?.batch).to.equal(1);
    for (const { lstm, readout } of host.warmed) {
      expect(lstm?.chosen).to.equal('simd');
      expect(readout.ms)
        .to.equal(readout.timesMs[readout.chosen])
        .and.to.equal(Math.min(...Object.values(readout.timesMs)));
    }
    await host.close();
  });

  it('refuses a version whose golden answers are off, by name, row and logit, and leaves no tensor behind', async () => {
    const before = tf.memory().numTensors;
    const good = versionOf('good');
    const rows = good.golden.rows.map((row, i) => (i === 2 ? { ...row, directionLogit: row.directionLogit + 0.01 } : row));
    const error = await failure(() => openInProcessHost([good, versionOf('bad', { golden: { rows } })]));
    expect(error.code).to.equal('model.refused');
    expect(error.message).to.match(/^Model bad: golden row 2, directionLogit is -?\d/);
    expect(tf.memory().numTensors).to.equal(before);
  });

  it('refuses golden rows that are missing or do not fit', async () => {
    const [first] = versionOf('x').golden.rows;
    for (const rows of [[], [{ ...first!, context: [1] }], [{ ...first!, head: 9 }]])
      expect((await failure(() => openInProcessHost([versionOf('x', { golden: { rows } })]))).code).to.equal('model.refused');
  });

  it('names a model that is not loaded, and refuses a logit that is not finite', async () => {
    const host = openInProcessHost([versionOf('one')]);
    expect((await failure(() => host.infer('two', rowOf(1)))).code).to.equal('model.unknown');
    const error = await failure(() => host.infer('one', { ...rowOf(1), baseline: NaN }));
    expect([error.code, error.message]).to.deep.equal(['inference.failed', 'Model one returned a logit that is not finite.']);
    await host.close();
  });
  it('answers 64 rows of mixed heads alike one by one and together, in their order (row 30)', async () => {
    const host = openInProcessHost([versionOf('one')]);
    const rows = Array.from({ length: 64 }, (_, i) => rowOf(100 + i, i % SMALL_SPEC.heads));
    const alone = [];
    for (const row of rows) alone.push(await host.infer('one', row));
    const together = await Promise.all(rows.map((row, i) => host.infer('one', row, 1e15 + i)));
    const chance = (logit: number): number => 1 / (1 + Math.exp(-logit));
    for (const [i, output] of together.entries()) {
      const single = alone[i];
      expect(output.head).to.equal(single.head);
      for (const name of ['baselineLogit', 'residualLogit', 'directionLogit'] as const) {
        // Of its size, since one step of float32 at 7 is 5e-7 already; what callers see is the probability.
        expect(output[name], `row ${i}, ${name}`).to.be.closeTo(single[name], 1e-6 * Math.max(1, Math.abs(single[name])));
        expect(chance(output[name]), `row ${i}, ${name}`).to.be.closeTo(chance(single[name]), 1e-6);
      }
    }
    await host.close();
  });

  it('fails a poisoned row alone among seven others (row 28)', async () => {
    const host = openInProcessHost([versionOf('one')]);
    const asked = Array.from({ length: 8 }, (_, i) => host.infer('one', i === 3 ? { ...rowOf(i), baseline: NaN } : rowOf(i)));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(outcomes.map((_, i) => (i === 3 ? 'rejected' : 'fulfilled')));
    await host.close();
  });

  it('refuses what waits when it closes', async () => {
    const host = openInProcessHost([versionOf('one')]);
    const waiting = failure(() => host.infer('one', rowOf(1)));
    await host.close();
    expect((await waiting).code).to.equal('service.not_ready');
  });
});
