import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { CONTEXT_AT, CONTEXT_COLUMNS } from '../../../../src/engine/features/columns.ts';
import { syntheticTicks } from '../../../../src/ticks/syntheticTicks.ts';
import { buildRows } from '../../../../training/data/buildRows.ts';
import { BASE_SCOPE } from '../../../../training/data/HorizonScope.ts';
import { planTestRows, planTrainRows } from '../../../../training/data/planRows.ts';
import type { RowPlan } from '../../../../training/data/RowPlan.ts';
import { SEQUENCE_SIZE, type RowSet } from '../../../../training/data/RowSet.ts';
import { sourceOfSeries } from '../../../../training/data/readSources.ts';
import { leakTest } from '../../../../training/evaluation/leakTest.ts';
import { permuteMoves } from '../../../../training/evaluation/permutedPlacebo.ts';
import { seenRows } from '../../../../training/evaluation/seenRows.ts';
import { auc } from '../../../../training/metrics/auc.ts';
import { labelsOf } from '../../../../training/evaluation/Scores.ts';

const sources = [
  sourceOfSeries('one', syntheticTicks({ seed: 5, count: 12_000 }), 'one.csv'),
  sourceOfSeries('two', syntheticTicks({ seed: 6, count: 12_000 }), 'two.csv'),
];

describe('leakTest', () => {
  let plan: RowPlan;
  let rows: RowSet;
  before(async () => {
    plan = planTrainRows(sources, { scope: BASE_SCOPE, seed: 1, maxPerBucket: 30 });
    ({ rows } = await buildRows(sources, plan, 1));
  });

  it('finds no different bit if the inputs use only the past, including bars and thresholds', () => {
    const { checked, leaking } = leakTest(sources, plan, rows, plan.count);
    expect(leaking).to.deep.equal([]);
    expect(checked).to.equal(rows.count);
  });

  it('detects a column with the future move', () => {
    const context = rows.context.slice();
    const at = CONTEXT_AT.roll;
    for (let row = 0; row < rows.count; row++)
      for (let draw = 0; draw < rows.draws; draw++) context[(row * rows.draws + draw) * CONTEXT_COLUMNS + at] = rows.move[row];
    expect(leakTest(sources, plan, { ...rows, context }, 50).leaking).to.deep.equal(['roll']);
  });

  it('detects a window that ends one tick after its origin', async () => {
    const shifted = {
      ...plan,
      blocks: plan.blocks.map((block) => ({
        ...block,
        windows: block.windows.map((window) => ({ ...window, origin: Math.min(window.origin + 1, 11_999) })),
      })),
    };
    const late = await buildRows(sources, shifted, 1);
    // The rows name the earlier origin.
    const { originUs } = (await buildRows(sources, plan, 1)).rows;
    const count = Math.min(late.rows.count, rows.count);
    const lying = { ...late.rows, count, originUs: originUs.subarray(0, count), horizonS: rows.horizonS.subarray(0, count) };
    expect(leakTest(sources, plan, lying, 50).leaking).to.include('return');
  });

  it('detects the sequence of another row', () => {
    const sequence = rows.sequence.slice();
    sequence.copyWithin(0, SEQUENCE_SIZE);
    expect(leakTest(sources, plan, { ...rows, sequence }, plan.count).leaking).to.have.length.above(3);
  });
});

describe('permuteMoves', () => {
  it('keeps the set of outcomes and removes their predictability', async () => {
    const plan = planTestRows(sources, { scope: { ...BASE_SCOPE, testedS: [10] }, seed: 1 });
    const { rows } = await buildRows(sources, plan, 1);
    const permuted = permuteMoves(rows, seededRandom(2));
    const index = Int32Array.from({ length: rows.count }, (_, row) => row);
    const [before, after] = [labelsOf(rows, index), labelsOf(permuted, index)];
    const sum = (labels: Uint8Array): number => labels.reduce((total, label) => total + label, 0);
    expect(sum(after)).to.equal(sum(before));
    expect(after).to.not.deep.equal(before);
    // A score that equals the outcome of each row does not predict the permuted one.
    expect(auc(Float64Array.from(before), after)).to.be.within(0.4, 0.6);
  });
});

describe('seenRows', () => {
  it('marks the rows of a span of the same file including labels, and of the same ticks of a day under another name', async () => {
    const plan = planTestRows(sources, { scope: { ...BASE_SCOPE, testedS: [60] }, seed: 1 });
    const { rows } = await buildRows(sources, plan, 1);
    const [one, two] = sources as [(typeof sources)[0], (typeof sources)[0]];
    const middleUs = (one.firstUs + one.lastUs) / 2;
    const span = { fromUs: one.firstUs, toUs: middleUs, days: one.days };
    const expected = Uint8Array.from(rows.instrument, (of, row) => (of === 0 && rows.originUs[row] <= middleUs ? 1 : 0));
    expect(expected.reduce((sum, flag) => sum + flag, 0)).to.be.above(5);
    expect(seenRows(rows, sources, [{ ...span, fileSha256: one.file.sha256 }])).to.deep.equal(expected);
    expect(seenRows(rows, sources, [{ ...span, fileSha256: 'renamed' }])).to.deep.equal(expected);
    expect(seenRows(rows, sources, [{ ...span, fileSha256: 'other', days: [] }]).every((flag) => flag === 0)).to.equal(true);
    const labelOnly = [{ fileSha256: two.file.sha256, fromUs: rows.originUs.at(-1)! + 30e6, toUs: Infinity, days: [] }];
    expect(seenRows(rows, sources, labelOnly).at(-1)).to.equal(1);
  });
});
