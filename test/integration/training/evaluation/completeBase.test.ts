import { expect } from 'chai';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import type { ModelFolder } from '../../../../src/model/modelFiles.ts';
import { defaultRuleSetPath, loadRuleSet } from '../../../../src/rules/loadRuleSet.ts';
import { openRuntime } from '../../../../src/runtime/openRuntime.ts';
import type { Candidate } from '../../../../training/Candidate.ts';
import { completeBase } from '../../../../training/completeBase.ts';
import { buildRows, type MadeRows } from '../../../../training/data/buildRows.ts';
import { planTestRows, planTrainRows } from '../../../../training/data/planRows.ts';
import { syntheticSources } from '../../../../training/data/readSources.ts';
import type { TickSource } from '../../../../training/data/TickSource.ts';
import { predictRows } from '../../../../training/loop/predictRows.ts';
import type { TrainJobSetting } from '../../../../training/loop/TrainJob.ts';
import type { RunPlan } from '../../../../training/planRun.ts';
import { allRows } from '../../../../training/splits/planFolds.ts';
import type { TrainOptions } from '../../../../training/TrainOptions.ts';
import { randomWeights, SMALL_SPEC, smallManifest } from '../../../support/smallModel.ts';

const SCOPE = { heads: [1, 2], rangeS: [60, 600], testedS: [60, 300] } as const;
const NONE_PUBLISHED = JSON.stringify({ format: 'tickmark-out-of-fold/1', folds: [], cells: [] });

/** A base whose head beyond 3 min answers with the baseline. */
function baseWithZeroHead(): ModelFolder {
  const { heads, ...manifest } = smallManifest('base-small');
  const weights = randomWeights(SMALL_SPEC, 4);
  weights['opportunity/kernel'].forEach((_, at, kernel) => {
    if (at % SMALL_SPEC.heads === 2) kernel[at] = 0;
  });
  weights['opportunity/bias'][2] = 0;
  weights['baseline/kernel'].fill(1);
  weights['baseline/bias'].fill(-1);
  const zeroed = heads.map((head, at) => (at === 2 ? { ...head, residual: 'zero' as const } : head));
  return {
    manifest: { ...manifest, heads: zeroed, files: {} } as unknown as ModelFolder['manifest'],
    weights,
    golden: { rows: [] },
    card: '',
  };
}

describe('completeBase', function () {
  this.timeout(300_000);
  let sources: TickSource[];
  let plan: RunPlan;
  let made: MadeRows;
  let options: TrainOptions & { readonly parent: ModelFolder };

  const complete = (over: Partial<typeof options> = {}): Candidate =>
    completeBase({ ...options, ...over }, plan, made, { groups: sources.map(({ group }) => group) } as unknown as TrainJobSetting);

  before(async () => {
    await openRuntime('wasm');
    sources = syntheticSources(1, 3, 40_000);
    const [train, test] = [
      planTrainRows(sources, { scope: SCOPE, seed: 1, maxPerBucket: 400 }),
      planTestRows(sources, { scope: SCOPE, seed: 1, maxCount: 100 }),
    ];
    made = { train: await buildRows(sources, train, 1), test: await buildRows(sources, test, 1) };
    plan = { sources, train, test, cutsUs: null, notes: [], code: 'test', rowSettings: null, cacheDir: '' };
    options = {
      id: 'base-whole',
      mode: 'base',
      seed: 1,
      scope: SCOPE,
      ruleSet: await loadRuleSet(defaultRuleSetPath()),
      parent: baseWithZeroHead(),
      previousBase: { id: 'base-small', outOfFold: NONE_PUBLISHED },
    } as unknown as typeof options;
  });

  it('gives only the zero head a residual, and leaves the outputs of all other heads as they are', () => {
    const { parent } = options;
    const candidate = complete();
    const spec = candidate.spec ?? SMALL_SPEC;
    expect(candidate.heads.map(({ residual }) => residual).filter((_, at) => at !== 2)).to.deep.equal(['trained', 'trained', 'trained']);
    expect(candidate.heads[1]).to.deep.equal(parent.manifest.heads[1]);
    expect(spec.dense).to.equal(SMALL_SPEC.dense + (candidate.heads[2]?.residual === 'trained' ? 8 : 0));
    const { rows } = made.test;
    const [before, after] = [
      predictRows(SMALL_SPEC, parent.weights, rows, allRows(rows), 1),
      predictRows(spec, candidate.weights, rows, allRows(rows), 1),
    ];
    const isZero = candidate.heads[2]?.residual === 'zero';
    after.residual.forEach((residual, row) => {
      if (rows.head[row] !== 2 || isZero) expect(residual).to.equal(before.residual[row]);
    });
    expect([...after.residual].some((residual, row) => rows.head[row] === 2 && residual !== 0)).to.equal(!isZero);
  });

  it('evaluates only rows that were predicted without their group, with leak test and permuted outcomes', () => {
    const { scores, folds, verdict, against, outOfFold } = complete();
    const { rows } = made.test;
    expect(folds).to.deep.equal(sources.map(({ group }) => group));
    expect([...scores.row].every((row) => rows.head[row] === 2)).to.equal(true);
    expect(scores.row.length).to.be.above(50);
    expect(against).to.equal(null);
    expect(verdict.checks.some(({ holds, text }) => holds && text.startsWith('Inputs recomputed'))).to.equal(true);
    expect(verdict.checks.some(({ holds, text }) => holds && text.startsWith('Trained on randomly permuted outcomes'))).to.equal(true);
    expect((JSON.parse(outOfFold ?? '{}') as { cells: unknown[] }).cells).to.have.length(3);
  });

  it('refuses a base without a zero head or without its predictions on left-out groups', () => {
    const { parent } = options;
    const whole = smallManifest('base-small').heads;
    expect(() => complete({ parent: { ...parent, manifest: { ...parent.manifest, heads: whole } } })).to.throw(
      ServiceError,
      'base-small has no head with a residual of zero',
    );
    expect(() => complete({ previousBase: { id: 'base-small', outOfFold: undefined } })).to.throw(ServiceError, 'no out-of-fold.json');
  });
});
