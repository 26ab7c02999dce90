import { expect } from 'chai';
import { seededRandom } from '../../../../src/core/Random.ts';
import { defaultRuleSetPath, loadRuleSet } from '../../../../src/engine/rules/loadRuleSet.ts';
import { parseRuleSet } from '../../../../src/engine/rules/parseRuleSet.ts';
import type { RuleSet } from '../../../../src/engine/rules/RuleSet.ts';
import { syntheticTicks } from '../../../../src/ticks/syntheticTicks.ts';
import { buildRows } from '../../../../training/data/buildRows.ts';
import { BASE_SCOPE } from '../../../../training/data/HorizonScope.ts';
import { planTestRows } from '../../../../training/data/planRows.ts';
import { gatherOutOfFold } from '../../../../training/evaluation/outOfFold.ts';
import { isOpportunity } from '../../../../training/data/RowSet.ts';
import { sourceOfSeries } from '../../../../training/data/readSources.ts';
import { sigmoid } from '../../../../training/metrics/logistic.ts';
import { learnWeights, type WeightProblem } from '../../../../training/rules/learnWeights.ts';
import { evidenceOfDraws, learnedRules, withRules } from '../../../../training/rules/learnedRules.ts';
import { ruleEvidence, type EvidenceRule, type RuleEvidence } from '../../../../training/rules/ruleEvidence.ts';
import { ruleTables } from '../../../../training/rules/ruleTables.ts';
import { ruleWorth, type HeadWorth, type RuleRows } from '../../../../training/rules/ruleWorth.ts';
import { randomRows } from '../../../support/randomRows.ts';

const ones = (n: number): Float64Array => new Float64Array(n).fill(1);

describe('learnWeights', () => {
  const n = 20_000;
  function problem(truth: readonly number[], given: Partial<WeightProblem> = {}): WeightProblem {
    const random = seededRandom(3);
    const k = truth.length;
    const evidence = Float64Array.from({ length: n * k }, () => random.uniform() - 0.5);
    const logit = Float64Array.from({ length: n }, () => random.normal() - 1);
    const y = Uint8Array.from(logit, (of, i) => {
      const total = truth.reduce((sum, weight, rule) => sum + weight * evidence[i * k + rule]!, of);
      return random.uniform() < sigmoid(total) ? 1 : 0;
    });
    return { logit, evidence, y, signs: truth.map(() => 1), bounds: truth.map(() => 2), ...given };
  }

  it('finds planted weights, and keeps fixed ones at 0', () => {
    const planted = problem([0.8, 0, 1.4]);
    const weights = learnWeights(planted, ones(n), [true, true, true]);
    expect(weights[0]).to.be.closeTo(0.8, 0.15);
    expect(weights[1]).to.be.closeTo(0, 0.1);
    expect(weights[2]).to.be.closeTo(1.4, 0.15);
    expect([...learnWeights(planted, ones(n), [false, true, true])][0]).to.equal(0);
  });

  it('keeps the sign of a rule and its bound, and ignores rows of weight 0', () => {
    expect([...learnWeights(problem([0.8], { signs: [-1] }), ones(n), [true])]).to.deep.equal([0]);
    expect([...learnWeights(problem([0.8], { bounds: [0.3] }), ones(n), [true])]).to.deep.equal([0.3]);
    expect([...learnWeights(problem([0.8]), new Float64Array(n), [true])]).to.deep.equal([0]);
  });
});

describe('ruleEvidence', () => {
  it('equals the rules for each row, and shifts levels in one placebo only', async () => {
    const ruleSet = await loadRuleSet(defaultRuleSetPath());
    const sources = [sourceOfSeries('made', syntheticTicks({ seed: 5, count: 6000 }), 'made.csv')];
    const plan = planTestRows(sources, { scope: BASE_SCOPE, seed: 1, maxCount: 40 });
    const { rows } = await buildRows(sources, plan, 1);
    const { rules, values, forbidden } = ruleEvidence(ruleSet, { sources, plan, rows }, 1);
    expect(values.real.every(Number.isFinite)).to.equal(true);
    expect(forbidden).to.have.length(rows.count);
    const column = (kind: 'real' | 'shifted' | 'reversed', id: string): number[] => {
      const at = rules.findIndex((rule) => rule.id === id);
      return Array.from({ length: rows.count }, (_, row) => values[kind][row * rules.length + at]!);
    };
    for (const { id, literals } of rules) {
      const looksAtLevels = literals.some(({ predicate }) => /^(support|resistance)_near$/.test(predicate.name));
      expect(JSON.stringify(column('real', id)) === JSON.stringify(column('shifted', id)), id).to.equal(!looksAtLevels);
    }
    expect(column('real', 'momentum_slope')).not.to.deep.equal(column('reversed', 'momentum_slope'));
    const some = ruleEvidence(ruleSet, { sources, plan, rows }, 1, { use: (row) => row === 3 });
    expect(some.values.real.findIndex(Number.isFinite)).to.equal(3 * rules.length);
  });
});

describe('ruleWorth', () => {
  const rows = randomRows({ count: 6000 });
  const random = seededRandom(11);
  const row = Int32Array.from({ length: rows.count }, (_, at) => at);
  const ruleOf = (id: string): EvidenceRule => ({ id, kind: 'evidence', sign: 1, bound: 2, neutral: 0.5 }) as unknown as EvidenceRule;
  /** Evidence that is correlated with the outcome. */
  const knowing = (insight: number): number[] => [...row].map((of) => insight * (isOpportunity(rows, of) - 1 / 3) + 0.3 * random.normal());
  const evidenceOf = (real: number, shifted: number, reversed: number): RuleEvidence => {
    const columns = [real, shifted, reversed].map((insight) => [knowing(insight), knowing(0)] as const);
    const values = columns.map(([first, second]) => Float64Array.from(first.flatMap((value, at) => [value, second[at]!])));
    return {
      rules: [ruleOf('knows'), ruleOf('knows-nothing')],
      values: { real: values[0]!, shifted: values[1]!, reversed: values[2]! },
      forbidden: new Uint8Array(rows.count),
    };
  };
  const rulesOf = (evidence: RuleEvidence): RuleRows => ({
    rows,
    row,
    logit: new Float64Array(rows.count).fill(Math.log(0.5)),
    // Each fold has rows of all four buckets.
    fold: Uint8Array.from(row, (of) => Math.floor(of / 4) % 3),
    evidence,
  });

  it('finds rules with skill, keeps the others at 0, and shows both next to their placebos', () => {
    const worth = ruleWorth(rulesOf(evidenceOf(0.6, 0, 0)), null, seededRandom(1));
    expect(worth.map(({ head, better }) => [head, better])).to.deep.equal([0, 1, 2, 3].map((head) => [head, true]));
    for (const { weights } of worth) {
      expect(weights[0]!.weight).to.be.above(0.5);
      expect(weights[1]!.weight).to.be.within(0, 0.5);
      expect(weights[0]!.interval.lower95).to.be.above(0);
      // Noise has a weight only if its interval excludes 0 by chance.
      expect(weights[1]!.weight !== 0).to.equal(weights[1]!.interval.isSure);
    }
    expect(worth.filter(({ weights }) => weights[1]!.weight === 0).length).to.be.above(1);
    const [table] = ruleTables(worth);
    expect(table!.rows.map((line) => line.at(-1))).to.deep.equal(['better', 'better', 'better', 'better']);
  });

  it('gives no effect to rules without skill, or with no more than a placebo', () => {
    for (const evidence of [evidenceOf(0, 0, 0), evidenceOf(0.6, 0.8, 0), evidenceOf(0.6, 0, 0.8)])
      expect(ruleWorth(rulesOf(evidence), null, seededRandom(1)).some(({ better }) => better)).to.equal(false);
  });

  it('never evaluates a fold with weights that were learned on it: a relation in one group only improves nothing', () => {
    const evidence = evidenceOf(0, 0, 0);
    const real = evidence.values.real.slice();
    for (const of of row) if (Math.floor(of / 4) % 3 === 0) real[2 * of] = 1.5 * (isOpportunity(rows, of) - 1 / 3);
    const worth = ruleWorth(rulesOf({ ...evidence, values: { ...evidence.values, real } }), null, seededRandom(1));
    expect(worth.map(({ better }) => better)).to.deep.equal([false, false, false, false]);
  });

  it('evaluates on rows that were not used for learning, if they are given', () => {
    const teach = rulesOf(evidenceOf(0.6, 0, 0));
    const worth = rulesOf(evidenceOf(0, 0, 0));
    const [head] = ruleWorth(worth, teach, seededRandom(1));
    expect(head!.better).to.equal(false);
    expect(head!.weights[0]!.weight).to.be.above(0.5);
  });

  it('has no result for heads with too few rows, or for a set without evidence', () => {
    const few = { ...rulesOf(evidenceOf(0.6, 0, 0)), row: row.subarray(0, 1000) };
    expect(ruleWorth(few, null, seededRandom(1))).to.deep.equal([]);
    expect(ruleTables([])).to.deep.equal([]);
  });
});

describe('learned rules', () => {
  const worthOf = (head: number, better: boolean, weights: Record<string, number>): HeadWorth =>
    ({ head, better, weights: Object.entries(weights).map(([id, weight]) => ({ id, weight })) }) as unknown as HeadWorth;

  it('form a rule set: new weights for improved heads, old weights for heads that were not trained', async () => {
    const shipped = await loadRuleSet(defaultRuleSetPath());
    expect(learnedRules(shipped, [worthOf(1, false, { jumps: 0.2 })], [0, 1, 2, 3], 'base-1')).to.equal(undefined);
    const text = learnedRules(
      shipped,
      [worthOf(0, true, { jumps: 0.2, squeeze: -0.1 }), worthOf(1, false, { jumps: 0.4 })],
      [0, 1],
      'mine.2026--x',
    );
    const own = parseRuleSet(JSON.parse(text!), 'own');
    expect(own.id).to.equal('mine-2026-x-rules');
    const weightsOf = (set: RuleSet, id: string): readonly number[] | undefined => {
      const rule = set.rules.find((of) => of.id === id);
      return rule?.kind === 'evidence' ? rule.weights : undefined;
    };
    expect(weightsOf(own, 'jumps')).to.deep.equal([0.2, 0, 0, 0]);
    expect(weightsOf(own, 'squeeze')).to.deep.equal([-0.1, 0, 0, 0]);
    const next = parseRuleSet(JSON.parse(learnedRules(own, [worthOf(1, true, { jumps: 0.3 })], [1], 'next')!), 'next');
    expect(weightsOf(next, 'jumps')).to.deep.equal([0.2, 0.3, 0, 0]);
    expect(learnedRules(own, [], [0], 'none')).to.equal(undefined);
  });

  it('are added to the logits before thresholds are fitted, only in improved heads', () => {
    const rows = randomRows({ count: 8, draws: 2 });
    const predicted = {
      index: Int32Array.from({ length: 8 }, (_, at) => at),
      draws: 2,
      baseline: new Float32Array(16),
      residual: new Float32Array(16).fill(0.5),
      direction: new Float32Array(16),
    };
    const out = gatherOutOfFold(rows, [predicted]);
    const evidence = [0, 1].map(
      (draw) => ({ values: { real: Float64Array.from({ length: 8 }, (_, row) => row + 100 * draw) } }) as unknown as RuleEvidence,
    );
    const { logit } = withRules(out, [worthOf(2, true, { only: 0.1 }), worthOf(3, false, { only: 0.1 })], evidence);
    out.row.forEach((row, at) =>
      expect(logit[at]).to.be.closeTo(rows.head[row] === 2 ? 0.5 + 0.1 * (row + 100 * out.draw[at]!) : 0.5, 1e-12),
    );
    expect(withRules(out, [], [])).to.equal(out);
  });

  it('are evaluated at each threshold of a row if a head is improved', async () => {
    const ruleSet = await loadRuleSet(defaultRuleSetPath());
    const sources = [sourceOfSeries('made', syntheticTicks({ seed: 5, count: 6000 }), 'made.csv')];
    const plan = planTestRows(sources, { scope: BASE_SCOPE, seed: 1, maxCount: 20 });
    const { rows } = await buildRows(sources, plan, 1);
    const from = { sources, plan, rows };
    expect(evidenceOfDraws({ ruleSet, seed: 1 }, from, [worthOf(1, false, {})])).to.deep.equal([]);
    const draws = evidenceOfDraws({ ruleSet, seed: 1 }, from, [worthOf(1, true, {})]);
    expect(draws).to.have.length(rows.draws);
    const row = rows.head.indexOf(1);
    const far = draws[0]!.rules.findIndex(({ id }) => id === 'threshold_far');
    const [usual, low, , , , high] = draws.map(({ values, rules }) => values.real[row * rules.length + far]!);
    expect(low).to.be.at.most(usual!);
    expect(high).to.be.at.least(usual!);
    expect(high).to.be.above(low!);
    expect(draws[0]!.values.real[rows.head.indexOf(0) * draws[0]!.rules.length]).to.be.NaN;
  });
});
