import { expect } from 'chai';
import { decideByRules, evaluateRules } from '../../../../src/engine/rules/evaluateRules.ts';
import type { Predicate, PredicateResult } from '../../../../src/engine/rules/Predicate.ts';
import type { Rule, RuleSet } from '../../../../src/engine/rules/RuleSet.ts';
import { makeMeasures } from '../../../support/makeMeasures.ts';

const input = { measures: makeMeasures([0, 1e-4, 0, 2e-4]), theta: 4e-4, bucket: 0 };

/** A rule on one predicate with a given result. */
function ruleOn(result: PredicateResult, rest: object): Rule {
  const predicate: Predicate = { name: 'p', about: '', unit: '', evaluate: () => result };
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

  it('takes a truth outside of 0 to 1, or with its bounds in the wrong order, for unknown, and drops a value that is no number', () => {
    const traceOf = (result: PredicateResult) => {
      const [entry] = evaluateRules(setOf(ruleOn(result, { kind: 'evidence', weight: 0.5, sign: 1, bound: 1, neutral: 0.2 })), input).rules;
      return [entry?.truth, entry?.literals()[0]?.value, entry?.contribution];
    };
    const unknown = [[0, 1], null, 0];
    for (const [lower, upper] of [
      [-1e-9, 0.5],
      [0.5, 1 + 1e-9],
      [0.6, 0.5],
      [NaN, 1],
      [0, NaN],
    ] as const)
      // prettier-ignore
      expect(traceOf({ lower, upper, value: 3 }), `${lower} to ${upper}`).to.deep.equal(unknown);
    expect(traceOf({ lower: 0, upper: 1, value: 3 })).to.deep.equal([[0, 1], 3, 0]);
    for (const value of [Infinity, NaN, null]) expect(traceOf({ lower: 1, upper: 1, value })).to.deep.equal([[1, 1], null, 0.4]);
  });

  it('shows each predicate of a rule with its sign, truth and value, and its sentence with the numbers', () => {
    const predicate = (name: string, result: PredicateResult): Predicate => ({
      name,
      about: '',
      unit: '',
      numbers: ['price'],
      evaluate: () => result,
    });
    const near = predicate('near', { lower: 0.25, upper: 0.5, value: 2, numbers: { price: 1.2345678912 } });
    const far = predicate('far', { lower: 1, upper: 1, value: null });
    const rule = ruleOn({ lower: 1, upper: 1, value: 0 }, {
      text: { source: '', parts: ['near ', { predicate: near, number: 'price' }, ', ', { predicate: near, number: null }, ', far ', { predicate: far, number: null }] },
      literals: [{ predicate: near, negated: true }, { predicate: far, negated: false }],
      ...{ kind: 'veto', threshold: 1 },
    }); // prettier-ignore
    const [entry] = evaluateRules(setOf(rule), input).rules;
    expect(entry?.literals()).to.deep.equal([
      { predicate: 'near', negated: true, truth: [0.5, 0.75], value: 2 },
      { predicate: 'far', negated: false, truth: [1, 1], value: null },
    ]);
    expect(entry?.text()).to.equal('near 1.2345679, 2, far unknown');
  });

  it('evaluates each predicate once, and only rules of the bucket', () => {
    let calls = 0;
    const counted = ruleOn({ lower: 1, upper: 1, value: 0 }, { kind: 'veto', threshold: 1 });
    const predicate: Predicate = {
      name: 'p',
      about: '',
      unit: '',
      evaluate: () => (calls++, { lower: 1, upper: 1, value: 0 }),
    };
    const when = { kind: 'literal', predicate } as const;
    const rules = ['a', 'b'].map((id): Rule => ({ ...counted, id, when, literals: [{ predicate, negated: false }] }));
    const set = setOf(...rules, { ...counted, id: 'elsewhere', applies: [false, true] });
    const { rules: trace, vetoedBy } = evaluateRules(set, input);
    for (const entry of trace) entry.literals();
    expect([calls, vetoedBy]).to.deep.equal([1, ['a', 'b']]);
    for (let i = 0; i < 2; i++) {
      expect(decideByRules(set, input).vetoedBy).to.deep.equal(['a', 'b']);
      expect(decideByRules(set, { ...input, bucket: 1 }).vetoedBy).to.deep.equal(['elsewhere']);
    }
  });

  it('weighs the expected truth of evidence, without a negative zero', () => {
    const entryOf = (weight: number, lower: number, upper: number) => {
      const [entry] = evaluateRules(setOf(ruleOn({ lower, upper, value: 0 }, { kind: 'evidence', weight, sign: 1, bound: 1, neutral: 0.25 })), input).rules; // prettier-ignore
      return entry?.contribution;
    };
    expect(entryOf(0.5, 0, 1)).to.equal(0);
    expect(entryOf(-0.5, 0, 1)).to.equal(0);
    expect(entryOf(0.5, 0.5, 1)).to.equal(0.1875);
    for (const [lower, upper] of [
      [0, 0],
      [0, 1],
      [1, 1],
    ] as const)
      for (const weight of [0, -0]) expect(Object.is(entryOf(weight, lower, upper), 0)).to.equal(true);
  });

  it('lists the levels of a window: supports below and resistances above the last price', () => {
    const prices = Array.from({ length: 300 }, (_, i) => 2e-3 * Math.sin(i / 12));
    const measures = makeMeasures([...prices, 0]);
    const { levels } = evaluateRules(setOf(ruleOn({ lower: 0, upper: 0, value: 0 }, { kind: 'veto', threshold: 1 })), {
      ...input,
      measures,
    });
    expect(new Set(levels.map(({ kind }) => kind))).to.deep.equal(new Set(['support', 'resistance']));
    for (const { price, kind, touches } of levels) {
      expect(Math.abs(Math.log(price / measures.lastPrice) - (kind === 'support' ? -2e-3 : 2e-3))).to.be.below(1e-4);
      expect(touches).to.be.within(1, 5);
    }
  });
});
