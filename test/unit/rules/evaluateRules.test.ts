import { expect } from 'chai';
import { decideByRules, evaluateRules } from '../../../src/rules/evaluateRules.ts';
import type { Predicate, PredicateResult } from '../../../src/rules/Predicate.ts';
import type { Rule, RuleSet } from '../../../src/rules/RuleSet.ts';
import { makeMeasures } from '../../support/makeMeasures.ts';

const input = { measures: makeMeasures([0, 1e-4, 0, 2e-4]), theta: 4e-4, bucket: 0 };

/** A rule on one predicate with a given result. */
function ruleOn(result: PredicateResult, rest: object): Rule {
  const predicate: Predicate = { name: 'p', about: '', unit: '', numbers: [], evaluate: () => result };
  const literal = { predicate, negated: false };
  return { id: 'r', text: { source: 'r', parts: ['r'] }, when: { kind: 'literal', predicate }, literals: [literal], applies: [true], ...rest } as unknown as Rule; // prettier-ignore
}
const setOf = (...rules: Rule[]): RuleSet => ({ id: 's', version: 1, about: '', rules, hash: '' });

describe('evaluateRules', () => {
  const cases: [kind: 'veto' | 'abstain', truth: [number, number], fires: boolean][] = [
    ['veto', [0.9, 0.9], true],
    ['veto', [0.9 - 1e-12, 1], false],
    ['veto', [1, 1], true],
    ['abstain', [0, 0.9], true],
    ['abstain', [0, 0.9 - 1e-12], false],
    ['abstain', [0, 1], true],
  ];
  for (const [kind, [lower, upper], fires] of cases)
    it(`${fires ? 'fires' : 'does not fire'} a rule of kind ${kind} with threshold 0.9 at a truth from ${lower} to ${upper}`, () => {
      const set = setOf(ruleOn({ lower, upper, value: 0 }, { kind, threshold: 0.9 }));
      for (const evaluation of [evaluateRules(set, input), decideByRules(set, input)]) {
        expect(evaluation.vetoedBy).to.deep.equal(fires ? ['r'] : []);
        expect(evaluation.rules).to.have.length(1);
        expect(evaluation.rules[0]).to.include({ kind, fired: fires, contribution: 0 });
        expect(evaluation.total).to.equal(0);
      }
    });

  it('fires no evidence, however true', () => {
    const set = setOf(ruleOn({ lower: 1, upper: 1, value: 0 }, { kind: 'evidence', weights: [0.5], sign: 1, bound: 1, neutral: 0.2 }));
    expect(evaluateRules(set, input)).to.deep.include({ vetoedBy: [], total: 0.4 });
  });
});
