import * as path from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../../../src/core/packageRoot.ts';
import { seededRandom } from '../../../../src/core/Random.ts';
import { loadModelFolder } from '../../../../src/engine/model/loadModelFolder.ts';
import { openRuntime } from '../../../../src/engine/runtime/openRuntime.ts';
import { syntheticTicks } from '../../../../src/ticks/syntheticTicks.ts';
import { buildRows } from '../../../../training/data/buildRows.ts';
import { BASE_SCOPE } from '../../../../training/data/HorizonScope.ts';
import { planTestRows } from '../../../../training/data/planRows.ts';
import { sourceOfSeries } from '../../../../training/data/readSources.ts';
import { auc } from '../../../../training/metrics/auc.ts';
import { permutedOutcomesPlacebo, type PlaceboInput, chanceTest, scoreRows } from '../../../../training/placebos/scoreRows.ts';
import { expectedAuc, plantedPlacebo, runPlacebos } from '../../../../training/placebos/runPlacebos.ts';
import { labelsOf } from '../../../../training/evaluation/Scores.ts';
import { allRows } from '../../../../training/splits/planFolds.ts';

describe('placebos', () => {
  let input: PlaceboInput;
  before(async () => {
    await openRuntime('wasm');
    const sources = [sourceOfSeries('made', syntheticTicks({ seed: 8, count: 16_000, medianGapMs: 500 }), 'made')];
    const plan = planTestRows(sources, { scope: { ...BASE_SCOPE, testedS: [10, 60] }, seed: 1 });
    const { rows } = await buildRows(sources, plan, 1);
    const model = loadModelFolder(path.join(packageRoot(), 'models', 'base-2026-11-27'));
    input = { model, sources, plan, rows, seed: 1 };
  });

  it('hold for the base that ships', () => {
    const placebos = runPlacebos(input);
    expect(placebos).to.have.length(10);
    for (const { name, holds, text } of placebos) expect(holds, `${name}: ${text}`).to.equal(true);
    // The artefact is detected, and the shifted levels are listed next to the real ones.
    expect(placebos.find(({ name }) => name.includes('fools'))!.text).to.match(/direction AUC of 0\.[6-9]/);
    expect(placebos.at(-1)!.text).to.match(/AUC 0\.\d+, of shifted levels 0\.\d+, on \d+ windows/);
  });

  it('detect a version with skill: the test of chance fails on the real outcomes', () => {
    expect(permutedOutcomesPlacebo(input).holds).to.equal(true);
    const { auc: found, allowed } = chanceTest(scoreRows(input.model, input.rows).p, labelsOf(input.rows, allRows(input.rows)));
    expect(found - 0.5).to.be.above(allowed);
  });

  it('measure the planted signal, and fail if rows and outcomes are misaligned', () => {
    expect(plantedPlacebo(input).holds).to.equal(true);
    const { p } = scoreRows(input.model, input.rows);
    const random = seededRandom(2);
    const shifted = Uint8Array.from(p, (_, i) => (random.uniform() < p[(i + 7) % p.length] ? 1 : 0));
    expect(Math.abs(auc(p, shifted) - expectedAuc(p))).to.be.above(0.03);
  });
});

describe('expectedAuc', () => {
  it('is the AUC on outcomes drawn from the probabilities', () => {
    const random = seededRandom(3);
    const p = Float64Array.from({ length: 40_000 }, () => random.uniform() ** 2);
    const y = Uint8Array.from(p, (value) => (random.uniform() < value ? 1 : 0));
    expect(expectedAuc(p)).to.be.closeTo(auc(p, y), 0.01);
    expect(expectedAuc(Float64Array.of(0, 1, 0, 1))).to.equal(1);
  });
});
