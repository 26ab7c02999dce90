import { expect } from 'chai';
import { openRuntime } from '../../../../src/engine/runtime/openRuntime.ts';
import { addTreeUnits, FACTORS } from '../../../../training/context/addTreeUnits.ts';
import { CONTEXT_FIT } from '../../../../training/context/fitContextUnits.ts';
import { CONTEXT_AT } from '../../../../src/engine/features/columns.ts';
import { isOpportunity } from '../../../../training/data/RowSet.ts';
import { predictRows } from '../../../../training/loop/predictRows.ts';
import { auc } from '../../../../training/metrics/auc.ts';
import { randomRows } from '../../../support/randomRows.ts';
import { randomWeights, SMALL_SPEC } from '../../../support/smallModel.ts';

const BASELINES = Array.from({ length: SMALL_SPEC.heads }, () => ({ slope: 0, intercept: Math.log(0.5) }));
const numbers = (from: number, to: number): Int32Array => Int32Array.from({ length: to - from }, (_, i) => from + i);
const SMALL = { spec: SMALL_SPEC, weights: randomWeights(SMALL_SPEC, 2) };

describe('addTreeUnits', () => {
  before(() => openRuntime('wasm'));

  it('adds a residual that predicts rows that were not trained on, and keeps the factor of the network’s own', () => {
    const rows = randomRows({ count: 4000, tellingColumn: CONTEXT_AT.zero_share_recent });
    const grown = addTreeUnits(SMALL, rows, numbers(0, 3000), BASELINES, 1);
    const index = numbers(3000, 4000);
    const [before, after] = [predictRows(SMALL.spec, SMALL.weights, rows, index), predictRows(grown.spec, grown.weights, rows, index)];
    const added = after.residual.map((residual, at) => residual - FACTORS.lstm * before.residual[at]);
    expect(
      auc(
        Float64Array.from(added),
        Uint8Array.from(index, (row) => isOpportunity(rows, row)),
      ),
    ).to.be.above(0.9);
    after.direction.forEach((direction, at) => expect(direction).to.be.closeTo(before.direction[at], 1e-5));
    expect([...after.baseline]).to.deep.equal([...before.baseline]);
  });

  it('finds nothing where nothing tells the outcome, and reads no column whose sign follows the direction of the price', () => {
    const rows = randomRows({ count: 1600 });
    const { spec, weights } = addTreeUnits(SMALL, rows, numbers(0, 1200), BASELINES, 1);
    const index = numbers(1200, 1600);
    const labels = Uint8Array.from(index, (row) => isOpportunity(rows, row));
    expect(auc(Float64Array.from(predictRows(spec, weights, rows, index).residual), labels)).to.be.within(0.4, 0.6);
    const from = (2 * spec.units + CONTEXT_AT.momentum_60) * spec.dense;
    expect([...weights['trunk/kernel'].subarray(from + SMALL_SPEC.dense, from + spec.dense)].every((weight) => weight === 0)).to.equal(
      true,
    );
  });

  it('gives no units where there are too few rows, and the same network for the same arguments', () => {
    const rows = randomRows({ count: 400 });
    const few = addTreeUnits(SMALL, rows, numbers(0, 150), BASELINES, 1);
    expect(few.spec).to.deep.equal(SMALL_SPEC);
    const index = numbers(0, 100);
    const [before, after] = [predictRows(SMALL.spec, SMALL.weights, rows, index), predictRows(few.spec, few.weights, rows, index)];
    after.residual.forEach((residual, at) => expect(residual).to.be.closeTo(FACTORS.lstm * before.residual[at], 1e-5));
    const grown = addTreeUnits(SMALL, rows, numbers(0, 400), BASELINES, 1);
    expect(grown.spec.dense).to.equal(SMALL_SPEC.dense + CONTEXT_FIT.units);
    expect(addTreeUnits(SMALL, rows, numbers(0, 400), BASELINES, 1)).to.deep.equal(grown);
  });
});
