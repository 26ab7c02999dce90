import { expect } from 'chai';
import { Network } from '../../../../src/engine/model/Network.ts';
import { openRuntime } from '../../../../src/engine/runtime/openRuntime.ts';
import { applyScale, fitScaling, foldScaling } from '../../../../training/loop/scaling.ts';
import { randomRows } from '../../../support/randomRows.ts';
import { randomBatch, randomWeights, SMALL_SPEC } from '../../../support/smallModel.ts';

describe('scaling', () => {
  before(() => openRuntime('auto'));

  it('scales every column to mean 0 and deviation 1 over the fitted rows, and keeps a constant column finite', () => {
    const rows = randomRows({ count: 200, draws: 2 });
    const { contextColumns: C } = SMALL_SPEC;
    rows.context.forEach((value, i) => (rows.context[i] = i % C === 3 ? 5 : 10 + 4 * value));
    const index = Int32Array.from({ length: 100 }, (_, i) => 2 * i);
    const scaling = fitScaling(rows, index);
    const seen = Float32Array.from([...index].flatMap((row) => [...rows.context.subarray(row * 2 * C, (row + 1) * 2 * C)]));
    applyScale(seen, scaling.context);
    for (const [column, deviation] of [
      [0, 1],
      [3, 0],
      [70, 1],
    ] as const) {
      const values = [...seen].filter((_, i) => i % C === column);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
      expect(mean, `mean of column ${column}`).to.be.closeTo(0, 1e-5);
      expect(Math.sqrt(variance), `deviation of column ${column}`).to.be.closeTo(deviation, 1e-4);
    }
  });

  it('folds into the weights: raw inputs then give the outputs of scaled inputs', () => {
    const scaling = fitScaling(
      randomRows({ count: 60, seed: 5 }),
      Int32Array.from({ length: 60 }, (_, i) => i),
    );
    scaling.sequence.mean.forEach((_, c, mean) => (mean[c] = c - 4));
    scaling.context.std.forEach((_, c, std) => (std[c] = 0.5 + c / 20));
    const weights = randomWeights(SMALL_SPEC, 2);
    const raw = randomBatch(SMALL_SPEC, 5, 3);
    const scaled = { ...raw, sequence: raw.sequence.slice(), context: raw.context.slice() };
    applyScale(scaled.sequence, scaling.sequence);
    applyScale(scaled.context, scaling.context);
    const [onScaled, onRaw] = [new Network(SMALL_SPEC, weights), new Network(SMALL_SPEC, foldScaling(weights, SMALL_SPEC, scaling))];
    const expected = onScaled.run(scaled);
    for (const [row, output] of onRaw.run(raw).entries())
      expect(output.residualLogit).to.be.closeTo(expected[row].residualLogit, 1e-4 * Math.max(1, Math.abs(output.residualLogit)));
    onScaled.dispose();
    onRaw.dispose();
  });
});
