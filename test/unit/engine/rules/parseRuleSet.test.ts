import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { expect } from 'chai';
import { ServiceError } from '../../../../src/core/ServiceError.ts';
import { defaultRuleSetPath, loadRuleSet } from '../../../../src/engine/rules/loadRuleSet.ts';
import { parseRuleSet } from '../../../../src/engine/rules/parseRuleSet.ts';
import { ruleSetJson } from '../../../support/fakeForecaster.ts';

type RuleJson = Record<string, unknown>;

function refusal(json: unknown): string {
  try {
    parseRuleSet(json, 'my.json');
  } catch (error) {
    expect(error).to.be.instanceOf(ServiceError);
    expect((error as ServiceError).code).to.equal('rules.refused');
    return (error as ServiceError).message;
  }
  throw new Error('nothing was refused');
}

const defined = (fields: RuleJson): RuleJson => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
/** The set with other fields; an undefined one is absent. */
const set = (fields: RuleJson): unknown => defined({ ...ruleSetJson(), ...fields });
/** The set with other fields of a rule: far (evidence, -), calm-low (evidence, +) or bad-print (veto). */
const rule = (index: number, fields: RuleJson): unknown => {
  const { rules } = ruleSetJson();
  return set({ rules: rules.with(index, defined({ ...rules[index], ...fields })) });
};
/** The set with an expression in place of the literals of rule 0. */
const joined = (when: unknown): unknown => rule(0, { literals: undefined, text: 'joined', when });

const WRONG: readonly [name: string, json: unknown, says: string][] = [
  ['not an object', [], 'the whole file: must be object'],
  ['a missing field', set({ id: undefined }), '/id: missing'],
  ['a missing field of a rule', rule(1, { text: undefined }), '/rules/1/text: missing'],
  ['an unknown field', rule(0, { wieght: 1 }), '/rules/0/wieght: unknown field. Did you mean "weight"?'],
  ['an unknown format', set({ format: 'tickmark-rules/9' }), '/format'],
  ['no rules', set({ rules: [] }), '/rules: must NOT have fewer than 1 items'],
  ['too many rules', set({ rules: Array.from({ length: 65 }, () => ruleSetJson().rules[0]) }), '/rules'],
  [
    'an unknown predicate',
    rule(1, { literals: [{ predicate: 'suport_near' }] }),
    '/rules/1/literals/0/predicate: unknown predicate "suport_near". Did you mean "support_near"?',
  ],
  ['a predicate with no similar name', rule(1, { literals: [{ predicate: 'zzz' }] }), 'docs/reference/rules.md lists the'],
  [
    'a predicate twice in a rule',
    rule(2, { literals: [{ predicate: 'outlier_tick' }, { predicate: 'outlier_tick', not: true }] }),
    '/rules/2/literals/1/predicate',
  ],
  ['a negative rule with a positive weight', rule(0, { weight: 0.4 }), '/rules/0/weight: 0.4 contradicts the sign "-"'],
  ['a positive rule with a negative weight', rule(1, { weight: -0.1 }), '/rules/1/weight: -0.1 contradicts the sign "+"'],
  ['a weight beyond its bound', rule(1, { weight: 0.6 }), '/rules/1/weight: 0.6 exceeds the bound 0.5'],
  ['a huge weight', rule(1, { weight: 1e300 }), '/rules/1/weight'],
  ['an infinite weight', rule(1, { weight: JSON.parse('1e999') }), '/rules/1/weight: must be number'],
  ['a NaN weight', rule(1, { weight: NaN }), '/rules/1/weight: must be number'],
  ['NaN as a text', rule(1, { weight: 'NaN' }), '/rules/1/weight: must be number'],
  ['evidence without a weight', rule(1, { weight: undefined }), '/rules/1/weight: missing'],
  ['evidence without a sign', rule(1, { sign: undefined }), '/rules/1/sign: missing'],
  ['evidence without a bound', rule(1, { bound: undefined }), '/rules/1/bound: missing'],
  ['evidence with nothing', rule(1, { weight: undefined, sign: undefined, bound: undefined }), '/rules/1/weight: missing'],
  ['an abstention with a weight', rule(2, { kind: 'abstain', weight: 1 }), '/rules/2/weight: not allowed for an abstention'],
  ['an unknown kind', rule(2, { kind: 'vote' }), '"evidence"'],
  ['an unknown field with a slash and a tilde', rule(0, { 'a/b~c': 1 }), '/rules/0/a~1b~0c: unknown field'],
  ['a veto without a threshold', rule(2, { threshold: undefined }), '/rules/2/threshold: missing'],
  ['a veto with a weight', rule(2, { weight: 1 }), '/rules/2/weight: not allowed for a veto'],
  ['evidence with a threshold', rule(1, { threshold: 1 }), '/rules/1/threshold: not allowed for evidence'],
  ['a duplicate id', rule(2, { id: 'far' }), '/rules/2/id: a second rule with id "far"'],
  ['a placeholder for a predicate of another rule', rule(0, { text: '{stale}' }), '/rules/0/text: {stale} does not name a predicate'],
  ['an unknown number', rule(1, { text: '{support_near.prise}' }), 'support_near has price, touches'],
  ['an open brace', rule(0, { text: 'a { b' }), '/rules/0/text: a brace'],
  ['depth 10,000', rule(0, { literals: JSON.parse('['.repeat(10_000) + ']'.repeat(10_000)) }), 'the whole file: nested more than 32 deep'],
  [
    'a join 10,000 deep',
    joined(JSON.parse('{"not":'.repeat(10_000) + '{"predicate":"stale"}' + '}'.repeat(10_000))),
    'the whole file: nested more than 32 deep',
  ],
  [
    'a join too deep',
    joined(JSON.parse('{"not":'.repeat(6) + '{"predicate":"stale"}' + '}'.repeat(6))),
    '/rules/0/when/not/not/not/not/not/not: nested more than 6 deep',
  ],
  ['both forms', rule(0, { when: { predicate: 'stale' } }), '/rules/0/literals: given together with "when"'],
  ['neither form', rule(0, { literals: undefined }), '/rules/0/when: missing'],
  [
    'a misspelt predicate inside a join',
    joined({ any: [{ predicate: 'stale' }, { not: { predicate: 'acelleration' } }] }),
    '/rules/0/when/any/1/not/predicate: unknown predicate "acelleration". Did you mean "acceleration"?',
  ],
  ['a misspelt join', joined({ al: [{ predicate: 'stale' }] }), '/rules/0/when/al: unknown field. Did you mean "all"?'],
  ['two joins at once', joined({ all: [{ predicate: 'stale' }], predicate: 'stale' }), '/rules/0/when'],
  ['at_least alone', joined({ at_least: 1 }), '/rules/0/when'],
  ['an empty join', joined({ any: [] }), '/rules/0/when/any: must NOT have fewer than 1'],
  [
    'a count above the number of parts',
    joined({ at_least: 3, of: [{ predicate: 'stale' }, { predicate: 'imbalance' }] }),
    '/rules/0/when/at_least: 3 of 2 parts',
  ],
  [
    'a predicate twice inside a join',
    joined({ any: [{ predicate: 'stale' }, { not: { predicate: 'stale' } }] }),
    '/rules/0/when/any/1/not/predicate: "stale" is named twice',
  ],
  ['an unknown horizon', rule(0, { horizons: ['h30s', '5m'] }), '/rules/0/horizons/1'],
  ['sections of weights, which earlier releases had', set({ sections: { h3m: { weights: { far: -0.1 } } } }), '/sections: unknown field'],
  ['the name of a prototype property', rule(0, { literals: [{ predicate: '__proto__' }] }), 'unknown predicate "__proto__"'],
];

describe('parseRuleSet', () => {
  for (const [name, json, says] of WRONG)
    it(`refuses ${name} and names its position`, () => {
      const message = refusal(json);
      expect(message).to.include('my.json: ').and.to.include(says);
      expect(message.length).to.be.below(500);
    });

  it('gives the same set and hash for any order of rules, literals and fields', () => {
    const one = parseRuleSet(ruleSetJson(), 'a');
    const rules = ruleSetJson().rules.toReversed();
    (rules[1]['literals'] as unknown[]).reverse();
    const other = set({ rules: rules.map((each) => Object.fromEntries(Object.entries(each).reverse())) });
    expect(parseRuleSet(other, 'b')).to.deep.equal(one);
    expect(one.hash).to.match(/^[0-9a-f]{64}$/);
    expect(one.rules.map(({ id }) => id)).to.deep.equal(['bad-print', 'calm-low', 'far']);
  });

  it('hashes every field', () => {
    const { hash } = parseRuleSet(ruleSetJson(), 'a');
    const others = [
      set({ version: 2 }),
      set({ id: 'other' }),
      rule(0, { weight: -0.3 }),
      rule(0, { text: 'x' }),
      rule(1, { neutral: 0.3 }),
      rule(2, { threshold: 0.8 }),
      rule(2, { literals: [{ predicate: 'outlier_tick', not: true }] }),
    ];
    expect(new Set([hash, ...others.map((json) => parseRuleSet(json, 'b').hash)]).size).to.equal(others.length + 1);
  });
});

describe('loadRuleSet', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'rules-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function loaded(text: string): Promise<string> {
    const file = path.join(folder, 'set.json');
    await writeFile(file, text);
    try {
      return (await loadRuleSet(file)).id;
    } catch (error) {
      return `${(error as ServiceError).code}: ${(error as ServiceError).message}`;
    }
  }

  it('reads the shipped set, in which all weights are 0', async () => {
    const set = await loadRuleSet(defaultRuleSetPath());
    expect(set.id).to.equal('base-2');
    for (const rule of set.rules) if (rule.kind === 'evidence') expect(rule.weight).to.equal(0);
  });

  it('refuses 10 MB, invalid JSON, deep JSON and a missing file', async () => {
    expect(await loaded(`"${'x'.repeat(1e7)}"`))
      .to.include('rules.refused')
      .and.to.include('larger than');
    expect(await loaded('{'))
      .to.include('rules.refused')
      .and.to.include('not valid JSON');
    expect(await loaded('['.repeat(100_000))).to.include('rules.refused');
    expect(await loaded(JSON.stringify(ruleSetJson()))).to.equal('test');
    const absent = await loadRuleSet(path.join(folder, 'absent.json')).catch((error: unknown) => (error as ServiceError).code);
    expect(absent).to.equal('file.unreadable');
  });
});
