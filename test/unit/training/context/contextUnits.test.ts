import { expect } from 'chai';
import { CONTEXT_AT, CONTEXT_COLUMNS } from '../../../../src/engine/features/columns.ts';
import { SEQUENCE_COLUMNS, SEQUENCE_STEPS } from '../../../../src/engine/features/WindowMeasures.ts';
import type { NetworkSpec } from '../../../../src/engine/model/NetworkWeights.ts';
import { openRuntime } from '../../../../src/engine/runtime/openRuntime.ts';
import { addContextUnits } from '../../../../training/context/addContextUnits.ts';
import type { ContextUnits } from '../../../../training/context/ContextUnits.ts';
import { CONTEXT_FIT, fitContextUnits } from '../../../../training/context/fitContextUnits.ts';
import { isOpportunity, type RowSet } from '../../../../training/data/RowSet.ts';
import { predictRows } from '../../../../training/loop/predictRows.ts';
import { auc } from '../../../../training/metrics/auc.ts';
import { randomRows } from '../../../support/randomRows.ts';
import { randomWeights } from '../../../support/smallModel.ts';

const SPEC: NetworkSpec = {
  steps: SEQUENCE_STEPS,
  sequenceColumns: SEQUENCE_COLUMNS,
  contextColumns: CONTEXT_COLUMNS,
  units: 8,
  dense: 8,
  adapterRank: 2,
  heads: 4,
};
const FIT = { ...CONTEXT_FIT, batchSize: 64, seed: 1 };
/** A third of the random rows are opportunities. */
const BASELINES = Array.from({ length: SPEC.heads }, () => ({ slope: 0, intercept: Math.log(0.5) }));
const numbers = (count: number): Int32Array => Int32Array.from({ length: count }, (_, i) => i);

/** Residuals of the rows of `index` at their first `draws` thresholds, [index, draws]. */
function contextResiduals(rows: RowSet, index: Int32Array, draws: number, units: ContextUnits): Float32Array {
  const { count, kernel, bias, output, outputBias } = units;
  const residuals = new Float32Array(index.length * draws);
  const sums = new Float64Array(count);
  for (let entry = 0; entry < residuals.length; entry++) {
    const row = index[Math.floor(entry / draws)];
    const from = (row * rows.draws + (entry % draws)) * CONTEXT_COLUMNS;
    sums.set(bias);
    for (let c = 0, at = 0; c < CONTEXT_COLUMNS; c++) {
      const x = rows.context[from + c];
      for (let unit = 0; unit < count; unit++, at++) sums[unit] = sums[unit] + x * kernel[at];
    }
    let residual = outputBias;
    for (let unit = 0; unit < count; unit++) residual += Math.max(0, sums[unit]) * output[unit];
    residuals[entry] = residual;
  }
  return residuals;
}

function aucOf(rows: RowSet, index: Int32Array, units: ContextUnits): number {
  const labels = Uint8Array.from(index, (row) => isOpportunity(rows, row));
  return auc(Float64Array.from(contextResiduals(rows, index, 1, units)), labels);
}

describe('units over the context', () => {
  it('find a column that tells the outcome, on rows that they never saw', () => {
    const rows = randomRows({ count: 1600, tellingColumn: CONTEXT_AT.zero_share_recent });
    const units = fitContextUnits(rows, numbers(1200), BASELINES, { ...FIT, epochs: 30 });
    expect(aucOf(rows, numbers(1600).subarray(1200), units)).to.be.above(0.95);
  });

  it('find nothing where nothing tells the outcome', () => {
    const rows = randomRows({ count: 1600 });
    const units = fitContextUnits(rows, numbers(1200), BASELINES, FIT);
    expect(aucOf(rows, numbers(1600).subarray(1200), units)).to.be.within(0.4, 0.6);
  });

  it('do not read a column whose sign follows the direction of the price', () => {
    const rows = randomRows({ count: 800, tellingColumn: CONTEXT_AT.momentum_60 });
    const units = fitContextUnits(rows, numbers(800), BASELINES, FIT);
    const from = CONTEXT_AT.momentum_60 * units.count;
    expect([...units.kernel.subarray(from, from + units.count)].every((weight) => weight === 0)).to.equal(true);
  });

  it('are the same for the same rows and seed, and differ for another seed', () => {
    const rows = randomRows({ count: 400 });
    const fit = (seed: number): ContextUnits => fitContextUnits(rows, numbers(400), BASELINES, { ...FIT, seed });
    expect(fit(3)).to.deep.equal(fit(3));
    expect(fit(4)).not.to.deep.equal(fit(3));
  });
});

describe('addContextUnits', () => {
  before(() => openRuntime('wasm'));

  it('adds the residual of its head times the factor, and changes no other output by a bit', () => {
    const rows = randomRows({ count: 64, draws: 2 });
    const weights = randomWeights(SPEC, 5);
    const units = fitContextUnits(rows, numbers(64), BASELINES, { ...FIT, units: 3 });
    const grown = addContextUnits(SPEC, weights, units, [0, 0, 0.7, 1.1]);
    expect(grown.spec).to.deep.equal({ ...SPEC, dense: 11 });
    const [before, after] = [predictRows(SPEC, weights, rows, numbers(64)), predictRows(grown.spec, grown.weights, rows, numbers(64))];
    const added = contextResiduals(rows, numbers(64), 2, units);
    after.residual.forEach((residual, at) => {
      const head = rows.head[Math.floor(at / 2)] as number;
      const factor = [0, 0, 0.7, 1.1][head] as number;
      const expected = (before.residual[at] as number) + factor * (added[at] as number);
      if (factor === 0) expect(residual).to.equal(before.residual[at]);
      else expect(residual).to.be.closeTo(expected, 1e-4 * Math.max(1, Math.abs(expected)));
    });
    expect([...after.direction]).to.deep.equal([...before.direction]);
    expect([...after.baseline]).to.deep.equal([...before.baseline]);
  });
});
